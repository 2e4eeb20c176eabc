import { once } from 'node:events';
import { connect } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { limitRequestTime } from '../../src/http/requests/request-timeouts.ts';
import { requestRules } from '../../src/http/requests/requests.ts';

let app: FastifyInstance;
/** A request came far enough to be limited. */
let began: Promise<unknown>;
beforeEach(async () => {
  app = Fastify();
  limitRequestTime(app, 1_000);
  began = new Promise((resolve) => app.addHook('onRequest', async () => resolve(undefined)));
  app.post('/', async () => 'good');
  await app.listen({ port: 0, host: '127.0.0.1' });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await app.close();
});

it('ends a request that has not arrived after half a minute', async () => {
  const ended = once(app.server, 'clientError');
  const line = connect(Number(new URL(app.listeningOrigin).port), '127.0.0.1');
  line.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 10\r\n\r\nhalf');
  await began;
  vi.advanceTimersByTime(30_000);
  const [error] = await ended;
  expect(error).toMatchObject({ code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  line.destroy();
});

it('leaves alone what the server asked itself', async () => {
  const ended: unknown[] = [];
  app.server.on('clientError', (error) => ended.push(error));
  const answer = await app.inject({ method: 'POST', url: '/', headers: { 'content-type': 'text/plain' }, payload: 'whole' });
  expect(answer.body).toBe('good');
  vi.advanceTimersByTime(60_000);
  expect(ended).toEqual([]);
});

it.each([
  ['drip in', 'POST / HTTP/1.1\r\nhost: x\r\nx-a'],
  ['never begin', ''],
])('ends a connection on which the headers %s', async (_, sent) => {
  vi.useRealTimers();
  expect(requestRules().http).toMatchObject({ headersTimeout: 29_000, connectionsCheckingInterval: 1_000 });
  const impatient = Fastify(requestRules(400));
  await impatient.listen({ port: 0, host: '127.0.0.1' });
  const line = connect(Number(new URL(impatient.listeningOrigin).port), '127.0.0.1');
  const received: Buffer[] = [];
  if (sent !== '') line.write(sent);
  const drip = setInterval(() => line.writable && sent !== '' && line.write('b'), 50);
  line.on('data', (chunk) => {
    clearInterval(drip);
    received.push(chunk);
  });
  // A drop that meets the end of the connection is answered with a reset, which is no failure of the test.
  line.on('error', () => {});
  await new Promise((resolve) => line.once('close', resolve));
  clearInterval(drip);
  expect(Buffer.concat(received).toString()).toMatch(/^HTTP\/1\.1 408 /);
  await impatient.close();
});

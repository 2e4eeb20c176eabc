import { once } from 'node:events';
import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SOCKET_LIMITS } from '../../src/realtime/connections/browser-socket.ts';
import { MAX_MESSAGE_BYTES } from '../../src/realtime/protocol.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp, type TestApp } from '../support/app.ts';
import { enter, join, openMeeting } from './room.ts';

const SILENT_AFTER_MS = 1_500;

/** Each gives up early for one reason. */
const hasty = await ownTestApp({}, { socketLimits: { ...SOCKET_LIMITS, silentAfterMs: SILENT_AFTER_MS } });
const { databaseUrl } = hasty;
const narrow = await ownTestApp({}, { databaseUrl, socketLimits: { ...SOCKET_LIMITS, maxUnsentBytes: 64 * 1024 } });
const host = await signedInUser(hasty, { type: 'provider' });

/** A message as a browser puts it on the wire, masked with nothing. */
function frame(message: object): Buffer {
  const content = Buffer.from(JSON.stringify(message));
  const head = Buffer.from([0x81, 0x80 | 126, content.length >> 8, content.length & 255, 0, 0, 0, 0]);
  return Buffer.concat([head, content]);
}

/**
 * A browser whose line takes nothing in once it has entered.
 * @returns when the server has ended it
 */
async function enterAndStall({ app, address }: TestApp, token: string): Promise<{ ended: Promise<unknown> }> {
  const ended = once(app.server, 'upgrade').then(([, socket]) => once(socket, 'close'));
  const { hostname, port } = new URL(address);
  const line = createConnection({ host: hostname, port: Number(port) });
  line.write(`GET /v/signal HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`);
  line.write('Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n');
  line.write(frame({ type: 'enter', token }));
  let heard = '';
  while (!heard.includes('"type":"entered"')) heard += String((await once(line, 'data'))[0]);
  line.pause();
  return { ended: ended.finally(() => line.destroy()) };
}

describe('a line', () => {
  it('is closed when nothing was heard for too long since it was last heard of', async () => {
    const { host: path } = await openMeeting(host);
    const browser = await enter(hasty, path);
    await sleep(SILENT_AFTER_MS / 5);
    const at = performance.now();
    browser.send({ type: 'ping' });
    await browser.next('pong');
    expect(await browser.closed).toEqual({ code: 4408, reason: 'No message arrived in time.' });
    // Timers may be a little early.
    expect(performance.now() - at).toBeGreaterThan(SILENT_AFTER_MS - 20);
  });

  it('is cut off when it takes in too little of what is told, and the others go on', async () => {
    const session = await openMeeting(host);
    const { token, you } = await join(narrow, session.host);
    const stalled = await enterAndStall(narrow, token);
    const speaking = await enter(narrow, session.host);
    const sdp = 'v'.repeat(MAX_MESSAGE_BYTES - 200);
    // More than what the two ends of a connection keep for each other.
    for (let n = 0; n < 200; n += 1) speaking.send({ type: 'signal', to: you.id, data: { description: { type: 'offer', sdp } } });
    await stalled.ended;
    speaking.send({ type: 'ping' });
    await speaking.next('pong');
  });
});

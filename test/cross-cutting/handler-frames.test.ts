import jwt from '@fastify/jwt';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { mobile } from '../../src/apis/mobile/index.ts';
import { unusedKeys } from '../../src/http/auth/keys.ts';
import { type Endpoints, endpoints } from '../../src/http/endpoints/declare-endpoints.ts';
import { handleErrors } from '../../src/http/endpoints/error-handlers.ts';
import { table } from '../../src/http/endpoints/run/csv-endpoint.ts';
import { acceptBodies } from '../../src/http/requests/bodies.ts';
import { limitResponseTime } from '../../src/http/requests/requests.ts';
import { eventStream } from '../../src/http/streams/event-streams.ts';
import { createHttpServices } from '../../src/services.ts';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';

/** The most functions of src that a request may cross between Fastify and the function of its endpoint. */
const MOST_FRAMES = 11;

const test = await sharedTestApp();
const { token } = await signedInUser(test);

/** Functions of src below the endpoint's own, by the name under which an endpoint counted them. */
const counted = new Map<string, string[]>();

function count(name: string): void {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 100;
  const { stack = '' } = new Error('counted');
  Error.stackTraceLimit = limit;
  const lines = stack.split('\n').filter((line) => /\/src\/.*\.ts:\d+/.test(line) && !line.includes('node_modules'));
  counted.set(name, lines);
}

const documented = (operationId: string) => ({ operationId, summary: operationId, tag: 'Test' });
const response = z.object({ done: z.boolean() });
const done = { done: true };
const body = z.object({});

function declareAll(declare: Endpoints): void {
  const handle = (name: string) => async () => {
    count(name);
    return done;
  };
  const plain = { response, handle: handle('write'), current: handle('current') };
  declare.get('/frames/read', { ...documented('read'), response, handle: handle('read') });
  declare.post('/frames/write', { ...documented('write'), body, ...plain });
  declare.put('/frames/write', { ...documented('replace'), body, etag: true, ...plain });
  declare.post('/frames/lookup', { ...documented('lookup'), body, response, lookup: handle('ask'), handle: handle('lookup') });
  declare.upload('/frames/upload', { ...documented('upload'), response, field: 'file', largest: 1_000, handle: handle('upload') });
  declare.upload('/frames/media', {
    ...documented('media'),
    params: z.object({}),
    response,
    besides: [],
    largest: 1_000,
    fields: z.object({}),
    async expect() {
      count('media expect');
    },
    async prepare() {
      count('media prepare');
      return null;
    },
    handle: handle('media'),
    async discard() {
      count('media discard');
    },
  });
  declare.download('/frames/download', {
    ...documented('download'),
    async handle() {
      count('download');
      return { storageKey: 'none', byteLength: 0, mediaType: 'text/plain', sha256: new Uint8Array(32), fileName: 'none.txt' };
    },
  });
  declare.download(
    '/frames/table',
    table({
      ...documented('table'),
      query: z.object({ format: z.string().optional() }),
      response,
      handle: handle('table as JSON'),
      async table() {
        count('table as CSV');
        return { fileName: 'none.csv', rows: [] };
      },
    }),
  );
  declare.download(
    '/frames/stream',
    eventStream({
      ...documented('stream'),
      async open() {
        count('stream');
        throw new Error('nothing to follow');
      },
    }),
  );
  declare.postPublic('/frames/public', { ...documented('public'), body, response, handle: handle('public') });
}

let app: FastifyInstance;
let address: string;
beforeAll(async () => {
  app = Fastify();
  // The issuer of tokens.
  app.decorate('origin', () => test.address).decorate('hasPublicUrl', false);
  await app.register(jwt, { secret: unusedKeys() });
  await acceptBodies(app);
  limitResponseTime(app);
  const services = createHttpServices(app, test.services);
  await app.register(async (scope) => {
    handleErrors(scope, mobile);
    declareAll(endpoints(scope, services, mobile));
  });
  address = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

it('a request crosses few functions on its way to an endpoint of any kind, transactions included', async () => {
  const authorization = `Bearer ${token}`;
  const status = async (method: string, path: string, headers: Record<string, string> = {}, sent?: string | FormData) =>
    (await fetch(`${address}${path}`, { method, headers: { authorization, ...headers }, ...(sent ? { body: sent } : {}) })).status;
  const json = (method: string, path: string, headers: Record<string, string> = {}) =>
    status(method, path, { 'content-type': 'application/json', ...headers }, '{}');
  const form = new FormData();
  form.set('file', new Blob(['a']), 'a.txt');
  const statuses = [
    await status('GET', '/frames/read'),
    await json('POST', '/frames/write', { 'idempotency-key': 'frames' }),
    await json('PUT', '/frames/write', { 'if-match': '*' }),
    await json('POST', '/frames/lookup'),
    await status('POST', '/frames/upload', {}, form),
    await status('POST', '/frames/media', {}, form),
    await status('GET', '/frames/download'),
    await status('GET', '/frames/table'),
    await status('GET', '/frames/table?format=csv'),
    await json('POST', '/frames/public'),
  ];
  expect(statuses).toEqual(statuses.map(() => 200));
  expect(await status('GET', '/frames/stream')).toBe(500);
  expect(counted.size).toBe(15);
  // None at all would mean that the stack was not read.
  expect([...counted].filter(([, lines]) => lines.length < 2 || lines.length > MOST_FRAMES)).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { TestApp } from '../support/app.ts';
import { dialects, nameOf, type Route, regular, signature, startWatchedApp } from './routes.ts';

/** Operations of ours that no source document lists. */
const EXTRAS = [
  'DELETE /api/appointments/{uuid}',
  'GET /canned-replies',
  'DELETE /scheduled-checkins/{checkin}',
  'GET /scheduled-checkins',
  'GET /survey-types',
  'DELETE /external-messages/{external_message}',
  'GET /external-messages',
  'GET /patients/{uuid}',
  'DELETE /push-subscriptions/{uuid}',
  'GET /notifications',
  'GET /notifications/stream',
  'GET /push-key',
  'GET /remote-patient-monitoring/ledger',
  'POST /push-subscriptions',
  'PUT /notifications/{uuid}',
  'DELETE /video-session/{GUID}/invite/{invite}',
  'GET /waiting-rooms/{UUID}/waiting',
  'POST /video-session/{GUID}/host-link',
  'POST /waiting-rooms/{UUID}/admit/{visit}',
  'POST /video-session/{GUID}/images',
  'POST /video-session/{GUID}/videos',
];

/** Addresses beside the three APIs, with whatever methods: they need no bearer token. */
const BESIDE = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/.well-known/jwks.json',
  '/oauth2/v1/token',
  '/oauth2/v1/introspect',
  '/oauth2/v1/revoke',
  '/oauth/token',
  '/oauthpreview/token',
  '/oauthopenpreview/token',
  '/docs/',
  '/docs/js/scalar.js',
  '/docs/openapi/integration.json',
  '/docs/openapi/practice.json',
  '/docs/openapi/mobile.json',
  '/assets/page.css',
  '/assets/visit.css',
  '/assets/livekit-client.mjs',
  '/webhooks/carrier',
  '/v/signal',
  '/v/:token',
  '/v/:token/join',
  '/v/:token/images',
  '/v/:token/videos',
  '/w/:token',
  '/w/:token/join',
  '/c/:token',
  '/m/:token',
  '/m/:token/code',
  '/m/:token/files/:attachment',
];

const lines = (name: string) =>
  readFileSync(join(import.meta.dirname, name), 'utf8')
    .trimEnd()
    .split('\n');
const sign = (line: string) => signature(line.split(' ', 1)[0] ?? '', line.slice(line.indexOf(' ') + 1));

const operations = lines('operations.tsv')
  .slice(1)
  .map((line) => {
    const [api = '', method = '', path = '', auth = ''] = line.split('\t');
    return { api, auth, name: `${method} ${path}`, signature: signature(method, path) };
  });
const listed = new Map(operations.map((operation) => [operation.signature, operation]));

const document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))) });

let test: TestApp;
/** Of the three APIs and what stands beside them; the HEAD of each GET left out. */
let routes: Route[];
/** `api METHOD /path` of every operation in the three documents. */
let documented: { api: string; signature: string; operationId: string }[];

beforeAll(async () => {
  const watched = await startWatchedApp();
  test = watched.test;
  routes = watched.routes.filter(({ method }) => method !== 'HEAD');
  const apis = await Promise.all(
    Object.keys(dialects).map(async (api) => {
      const { paths } = document.parse((await test.http.get(`/docs/openapi/${api}.json`)).body);
      return Object.entries(paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, { operationId }]) => ({ api, signature: signature(method.toUpperCase(), path), operationId })),
      );
    }),
  );
  documented = apis.flat();
});
afterAll(() => test.close());

const signatureOf = ({ method, url }: Route) => signature(method, url);
/** Scripts of pages stand under names of their own. */
const isBeside = ({ url }: Route) => BESIDE.includes(url) || url.startsWith('/assets/client/');
const isExtra = (route: Route) => EXTRAS.some((line) => sign(line) === signatureOf(route));

describe('the ledger', () => {
  it('lists 150 operations, each once: integration 9, practice 7, mobile 134', () => {
    expect(Object.groupBy(operations, ({ api }) => api)).toMatchObject({
      integration: { length: 9 },
      practice: { length: 7 },
      mobile: { length: 134 },
    });
    expect(new Set(operations.map((operation) => regular(operation.signature))).size).toBe(150);
  });

  it('has every operation built, exactly as it is spelled', () => {
    const built = new Set(routes.map(signatureOf));
    expect(operations.filter((one) => !built.has(one.signature)).map(({ name }) => name)).toEqual([]);
  });

  it('has no route that stands in no list', () => {
    const spellings = new Set(operations.map((operation) => regular(operation.signature)));
    const strays = routes.filter((route) => !isBeside(route) && !isExtra(route) && !spellings.has(regular(signatureOf(route))));
    expect(strays.map(nameOf)).toEqual([]);
  });

  it('keeps its own lists of extras true', () => {
    expect(EXTRAS.filter((line) => !routes.some((route) => signatureOf(route) === sign(line)))).toEqual([]);
    expect(BESIDE.filter((path) => !routes.some(({ url }) => url === path))).toEqual([]);
  });

  it('asks for a token wherever the list does, and nowhere else', () => {
    const wrong = routes.filter((route) => {
      const isOpen = isBeside(route) || listed.get(signatureOf(route))?.auth === 'none';
      return (route.config.protected === true) === isOpen;
    });
    expect(wrong.map(nameOf)).toEqual([]);
  });
});

describe('the three documents', () => {
  it('show every operation, in the document of its API', () => {
    const shown = new Set(documented.map(({ api, signature: one }) => `${api} ${one}`));
    expect(operations.filter((one) => !shown.has(`${one.api} ${one.signature}`)).map(({ name }) => name)).toEqual([]);
  });

  it('show nothing that the server does not have', () => {
    const built = new Set(routes.map((route) => `${route.dialect} ${signatureOf(route)}`));
    expect(documented.filter(({ api, signature: one }) => !built.has(`${api} ${one}`))).toEqual([]);
  });

  it('name each operation once', () => {
    for (const api of Object.keys(dialects)) {
      const names = documented.filter((one) => one.api === api).map(({ operationId }) => operationId);
      expect(
        names.filter((name, index) => names.indexOf(name) !== index),
        api,
      ).toEqual([]);
    }
  });
});

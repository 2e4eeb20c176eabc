import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sharedTestApp } from '../support/app.ts';
import { BESIDE } from './paths-beside.ts';
import { dialects, listRoutes, type Route, regular, signature, writeRoute } from './routes.ts';

/** Operations beyond the list that need no token. */
const OPEN_BEYOND = ['POST /login/second-factor', 'POST /login/passkey/options', 'POST /login/passkey', 'POST /forgot-password'];

const lines = (name: string) =>
  readFileSync(join(import.meta.dirname, name), 'utf8')
    .trimEnd()
    .split('\n');

const operations = lines('operations.tsv')
  .slice(1)
  .map((line) => {
    const [api = '', method = '', path = '', auth = ''] = line.split('\t');
    return { api, auth, name: `${method} ${path}`, signature: signature(method, path) };
  });
const listed = new Map(operations.map((operation) => [operation.signature, operation]));

const document = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ operationId: z.string(), 'x-beyond-the-document': z.literal(true).optional() })),
  ),
});

interface Documented {
  api: string;
  signature: string;
  operationId: string;
  /** Marked as an operation of ours. */
  isBeyond: boolean;
}

/** The operations of a document. */
const listOperations = (api: string, text: unknown): Documented[] =>
  // The operations on tokens are in each document.
  Object.entries(document.parse(text).paths).flatMap(([path, item]) =>
    Object.entries(path.startsWith('/oauth2/') ? {} : item).map(([method, { operationId, 'x-beyond-the-document': isBeyond = false }]) => ({
      api,
      signature: signature(method.toUpperCase(), path),
      operationId,
      isBeyond,
    })),
  );

/** The operations of the committed documents: the listed ones and our additions. */
const committed = Object.keys(dialects).flatMap((api) =>
  listOperations(api, JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'openapi', `${api}.json`), 'utf8'))),
);

const test = await sharedTestApp();
/** The routes of the server, without the HEAD of each GET. */
const routes = listRoutes(test).filter(({ method }) => method !== 'HEAD');
const served = await Promise.all(
  Object.keys(dialects).map(async (api) => listOperations(api, (await test.http.get(`/docs/openapi/${api}.json`)).body)),
);
/** The operations of the documents that the server serves. */
const documented = served.flat();

const toSignature = ({ method, url }: Route) => signature(method, url);
/** Whether a route is outside of the four APIs; scripts of pages are matched by their folder. */
const isBeside = ({ url }: Route) => BESIDE.includes(url) || url.startsWith('/assets/client/');
const isCommitted = (route: Route) => committed.some((one) => one.api === route.dialect && one.signature === toSignature(route));

describe('the list of operations', () => {
  it('lists 150 operations, each once: integration 9, practice 7, mobile 134', () => {
    expect(Object.groupBy(operations, ({ api }) => api)).toMatchObject({
      integration: { length: 9 },
      practice: { length: 7 },
      mobile: { length: 134 },
    });
    expect(new Set(operations.map((operation) => regular(operation.signature))).size).toBe(150);
  });

  it('has every operation built, exactly as it is spelled', () => {
    const built = new Set(routes.map(toSignature));
    expect(operations.filter((one) => !built.has(one.signature)).map(({ name }) => name)).toEqual([]);
  });

  it('has no route that is in neither the list nor a committed document', () => {
    const spellings = new Set(operations.map((operation) => regular(operation.signature)));
    const strays = routes.filter((route) => !isBeside(route) && !isCommitted(route) && !spellings.has(regular(toSignature(route))));
    expect(strays.map(writeRoute)).toEqual([]);
  });

  it('has every operation of the committed documents and every path beside them', () => {
    const built = new Set(routes.map((route) => `${route.dialect} ${toSignature(route)}`));
    expect(committed.filter((one) => !built.has(`${one.api} ${one.signature}`))).toEqual([]);
    expect(BESIDE.filter((path) => !routes.some(({ url }) => url === path))).toEqual([]);
  });

  it('asks for a token wherever the list does, and nowhere else', () => {
    const wrong = routes.filter((route) => {
      const isOpen =
        isBeside(route) || OPEN_BEYOND.includes(`${route.method} ${route.url}`) || listed.get(toSignature(route))?.auth === 'none';
      return (route.config.protected === true) === isOpen;
    });
    expect(wrong.map(writeRoute)).toEqual([]);
  });
});

describe('the documents', () => {
  it('show every operation, in the document of its API', () => {
    const shown = new Set(documented.map(({ api, signature: one }) => `${api} ${one}`));
    expect(operations.filter((one) => !shown.has(`${one.api} ${one.signature}`)).map(({ name }) => name)).toEqual([]);
  });

  it('show nothing that the server does not have', () => {
    const built = new Set(routes.map((route) => `${route.dialect} ${toSignature(route)}`));
    expect(documented.filter(({ api, signature: one }) => !built.has(`${api} ${one}`))).toEqual([]);
  });

  it('have an example of each operation, and of no other', () => {
    for (const [api, { examples }] of Object.entries(dialects)) {
      const names = committed.filter((one) => one.api === api).map(({ operationId }) => operationId);
      expect(Object.keys(examples()).sort(), `EXAMPLES=write npm test -- test/contract/examples (${api})`).toEqual(names.sort());
    }
  });

  it('mark each operation that the list does not have, and no other', () => {
    const ofList = new Set(operations.map((one) => `${one.api} ${regular(one.signature)}`));
    const isOurs = (one: Documented) => !ofList.has(`${one.api} ${regular(one.signature)}`);
    const wrong = documented.filter((one) => one.isBeyond !== isOurs(one));
    expect(wrong.map(({ api, operationId }) => `${api} ${operationId}`)).toEqual([]);
    expect(documented.filter(isOurs).length).toBeGreaterThan(30);
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

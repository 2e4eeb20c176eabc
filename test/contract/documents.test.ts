import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { complaintOfStale, written } from '../../scripts/stale-documents.ts';
import { REQUESTS_SCOPE } from '../../src/domain/identity/clients/client-scopes.ts';
import { sharedTestApp } from '../support/app.ts';
import { declaredCodes } from './declared-failures.ts';
import { dialects, listRoutes, type Route, signature } from './routes.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const apis = Object.values(dialects);

const reference = z.object({ $ref: z.string() });
const operation = z.looseObject({
  operationId: z.string().min(1),
  summary: z.string().min(1),
  description: z.string().min(1),
  tags: z.array(z.string()).length(1),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(z.union([reference, z.looseObject({ name: z.string(), in: z.string() })])).default([]),
  responses: z.record(z.string(), z.unknown()),
});
type Operation = z.infer<typeof operation>;
const document = z.looseObject({
  openapi: z.string(),
  paths: z.record(z.string(), z.record(z.enum(['get', 'post', 'put', 'patch', 'delete']), operation.optional())),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()).default({}) }),
});

const test = await sharedTestApp();
const routes = listRoutes(test);
/** The documents that the server serves, by API. */
const documents = new Map<string, z.infer<typeof document>>();
// One after the other: the server makes each when it is first asked for it, and answers nothing else meanwhile.
for (const { name } of apis) documents.set(name, document.parse((await test.http.get(`/docs/openapi/${name}.json`).expect(200)).body));

const routesBySignature = new Map(routes.map((route) => [signature(route.method, route.url), route]));
/** Every operation with the route that it documents. */
const operations: { at: string; route: Route; operation: Operation; dialect: (typeof apis)[number] }[] = apis.flatMap((dialect) =>
  // Those on tokens are the same in each document, and no operations of its API.
  Object.entries(documents.get(dialect.name)?.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(path.startsWith('/oauth2/') ? {} : item).flatMap(([method, one]) => {
      const route = routesBySignature.get(signature(method.toUpperCase(), path));
      return one && route ? [{ at: `${method} ${path}`, route, operation: one, dialect }] : [];
    }),
  ),
);

/** The operations for which a condition does not hold. */
const except = (holds: (one: (typeof operations)[number]) => boolean) => operations.filter((one) => !holds(one)).map(({ at }) => at);

/** Everything inside a document, with its place in it. */
function* walk(node: unknown, place = '#'): Generator<{ place: string; key: string; value: unknown }> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    yield { place: `${place}/${key}`, key, value };
    yield* walk(value, `${place}/${key}`);
  }
}

/** The target of a reference; undefined for a dangling one. */
const resolve = (root: unknown, pointer: string): unknown =>
  pointer
    .replace(/^#\//, '')
    .split('/')
    .reduce(
      (node: unknown, key) => z.record(z.string(), z.unknown()).safeParse(node).data?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      root,
    );

const headerNames = (one: Operation) =>
  one.parameters.map((parameter) => ('$ref' in parameter ? String(parameter.$ref).split('/').at(-1) : parameter.name));

describe('the committed documents', () => {
  const folder = join(ROOT, 'openapi');
  const served = () => apis.map(async ({ name }) => written((await test.http.get(`/docs/openapi/${name}.json`)).body));

  it('are found stale or missing, with the command that renews them', async () => {
    const own = await mkdtemp(join(tmpdir(), 'triptych-openapi-'));
    await cp(join(folder, 'practice.json'), join(own, 'practice.json'));
    await writeFile(join(own, 'mobile.json'), '{}\n');
    const complaint = await complaintOfStale(
      apis.map(({ name }) => join(own, `${name}.json`)),
      await Promise.all(served()),
    );
    await rm(own, { recursive: true });
    expect(complaint).toMatch(/integration\.json.*mobile\.json.*platform\.json: .*"npm run openapi"/);
    expect(complaint).not.toContain('practice.json');
  });
});

describe('each document', () => {
  it('is OpenAPI 3.1', () => {
    expect([...documents.values()].map(({ openapi }) => openapi)).toEqual(['3.1.0', '3.1.0', '3.1.0', '3.1.0']);
  });

  it('holds every shape once, among its components, and every reference leads to something', () => {
    for (const [name, root] of documents) {
      const all = [...walk(root)];
      expect(
        all.filter(({ key }) => ['$defs', 'definitions', '$id', '$schema'].includes(key)).map(({ place }) => place),
        name,
      ).toEqual([]);
      const references = all.filter(({ key }) => key === '$ref');
      expect(
        references.filter(({ value }) => resolve(root, String(value)) === undefined).map(({ place }) => place),
        name,
      ).toEqual([]);
    }
  });

  it('of the integration API has the shapes of its source by their names', () => {
    const names = ['Appointment', 'AppointmentType', 'Patient', 'PatientRequest', 'AppointmentRequest', 'Links', 'Exception'];
    const envelopes = ['AppointmentResponse', 'AppointmentTypeResponse', 'PatientResponse', 'GetAppointmentTypesResponse'];
    expect(Object.keys(documents.get('integration')?.components.schemas ?? {})).toEqual(expect.arrayContaining([...names, ...envelopes]));
  });
});

describe('each operation', () => {
  it('is found, so that what follows looks at something', () => {
    expect(operations.length).toBeGreaterThan(10);
  });

  it('tells its success, and the failures that follow from its declaration, each with its codes', () => {
    const wrong = except(({ operation: { responses }, route: { method, url, config, schema } }) => {
      const statuses = Object.keys(responses);
      const has = (status: number, isExpected: boolean) => statuses.includes(String(status)) === isExpected;
      const isKeyed = method === 'POST' && config.protected === true && config.keyed !== 'never';
      return (
        Object.keys(schema.response ?? {}).every((status) => statuses.includes(status)) &&
        [400, 429, 500, 503].every((status) => has(status, true)) &&
        [401, 403].every((status) => config.protected !== true || has(status, true)) &&
        has(405, false) &&
        has(412, config.ifMatch === true) &&
        (schema.body === undefined || (has(413, true) && has(415, true))) &&
        (!isKeyed || (has(409, true) && has(422, true))) &&
        statuses.every((status) => status < '400' || declaredCodes(signature(method, url), Number(status)).length > 0)
      );
    });
    expect(wrong).toEqual([]);
  });

  it('asks for the token and the scope that it needs, or says that it needs none', () => {
    const wrong = except(({ operation: { security, description }, route: { config }, dialect }) => {
      // Only schemes of OAuth have scopes; roles are in the description.
      const { name, scheme } = dialect.security;
      const scopes = [config.scope, config.appScope].filter(Boolean);
      const inToken = (scope: string | null | undefined) => (scope === REQUESTS_SCOPE ? [] : [scope]);
      const ways = scheme.type === 'oauth2' ? [{ [name]: scopes }] : [{ [name]: [] }, ...scopes.map((one) => ({ oauth2: inToken(one) }))];
      const needed = config.protected ? ways : [];
      const named = [config.scope ?? '', ...(config.roles ?? []), config.protected ? '' : 'no token'];
      return JSON.stringify(security) === JSON.stringify(needed) && named.every((name) => description.includes(name));
    });
    expect(wrong).toEqual([]);
  });

  it('names the parameters of its path, and no others', () => {
    const wrong = except(({ at, operation: { parameters } }) => {
      const named = parameters.flatMap((parameter) => ('in' in parameter && parameter.in === 'path' ? [parameter.name] : []));
      return JSON.stringify(named.sort()) === JSON.stringify([...at.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name).sort());
    });
    expect(wrong).toEqual([]);
  });

  it('names the headers that it honours', () => {
    expect(
      except(
        ({ operation: one, route }) =>
          headerNames(one).includes('Idempotency-Key') ===
          (route.method === 'POST' && route.config.protected === true && route.config.keyed !== 'never'),
      ),
    ).toEqual([]);
    expect(except(({ operation: one }) => headerNames(one).includes('If-Match') === '412' in one.responses)).toEqual([]);
    expect(except(({ operation: one }) => headerNames(one).includes('If-None-Match') === '304' in one.responses)).toEqual([]);
  });

  it('tells of the headers of its answers', () => {
    const wrong = except(({ operation: { responses }, route: { config, method } }) => {
      const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
      const { headers } = z.looseObject({ headers: z.record(z.string(), z.unknown()) }).parse(success);
      const expected = [
        ...['X-Request-Id', 'RateLimit', 'RateLimit-Policy'],
        ...(config.etag ? ['ETag'] : []),
        'Warning-Fields',
        'Warning-Codes',
        ...(config.protected && method === 'POST' ? ['Idempotent-Replayed'] : []),
        ...(config.ownHeaders ?? []),
      ];
      return JSON.stringify(Object.keys(headers)) === JSON.stringify(expected);
    });
    expect(wrong).toEqual([]);
  });
});

describe('the reference page', () => {
  it('shows all three documents', async () => {
    const page = await test.http
      .get('/docs/reference/')
      .expect(200)
      .expect('content-type', /text\/html/);
    for (const { name } of apis) {
      expect(page.text).toContain(`/docs/openapi/${name}.json`);
      await test.http
        .get(`/docs/openapi/${name}.json`)
        .expect(200)
        .expect('content-type', /application\/json/);
    }
    await test.http.get('/docs/reference').expect(301).expect('location', '/docs/reference/');
  });

  it('refers to no other host, and may load from none', async () => {
    const page = await test.http.get('/docs/reference/');
    expect(page.text.match(/(?:https?:|wss?:)?\/\/[a-z0-9.-]+\.[a-z]+/gi)).toBeNull();
    const policy = String(page.headers['content-security-policy']).split('; ');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy.filter((directive) => /https?:|\*|blob:|unsafe-eval/.test(directive))).toEqual([]);
    const scripts = [...page.text.matchAll(/src="([^"]+)"/g)].map(([, source]) => String(source));
    expect(scripts).toEqual([expect.stringMatching(/^js\/scalar\.js\?[\w-]{22}$/)]);
    await test.http
      .get(`/docs/reference/${scripts[0]}`)
      .expect(200)
      .expect('content-type', /javascript/)
      .expect('cache-control', /immutable/);
    await test.http.get('/docs/reference/js/scalar.js').expect(200).expect('cache-control', 'no-cache');
  });

  it('is the only page: no other answer may load anything or be framed', async () => {
    for (const path of ['/api/patients/mrn/1', '/login', '/healthz', '/docs/openapi/mobile.json', '/nothing']) {
      const { headers } = await test.http.get(path);
      expect(headers['content-security-policy'], path).toBe("default-src 'none';frame-ancestors 'none'");
    }
  });
});

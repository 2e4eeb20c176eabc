import { describe, expect, it } from 'vitest';
import { ownTestApp, sharedTestApp, type TestApp } from '../support/app.ts';
import { anyPath } from './plausible.ts';
import { dialects, listRoutes, type Route, writeRoute } from './routes.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;

const test = await sharedTestApp();
const operations = listRoutes(test).filter(({ schema }) => schema.operationId !== undefined);
/** The methods of each path, by the path as it is declared but for a slash at its end and the names of its parameters. */
const served = Map.groupBy(operations, toPath);

function toPath({ url }: Route): string {
  return url.replace(/\/$/, '').replaceAll(/:\w+/g, ':');
}

const send = ({ app }: TestApp, method: (typeof METHODS)[number], url: string) =>
  app.inject({ method, url, headers: { 'content-type': 'text/nonsense' }, ...(method === 'POST' ? { payload: '{' } : {}) });

/** Why a refusal of a method is not as it must be; null where it is. */
async function findFault(route: Route, method: (typeof METHODS)[number], path: string, taken: Set<string>): Promise<string | null> {
  const answer = await send(test, method, path);
  const { errorShape, errorContentType } = dialects[route.dialect];
  if (answer.statusCode !== 405) return `answers ${answer.statusCode} ${answer.body}`;
  if (answer.headers.allow !== METHODS.filter((one) => taken.has(one)).join(', ')) return `allows ${answer.headers.allow}`;
  if (answer.headers['x-request-id'] === undefined || answer.headers.ratelimit === undefined) return 'lacks the headers of every answer';
  if (method === 'HEAD') return null;
  if (answer.headers['content-type'] !== `${errorContentType}; charset=utf-8`) return `is ${answer.headers['content-type']}`;
  return errorShape.safeParse(answer.json()).success ? null : `has another shape: ${answer.body}`;
}

describe('every path of the three documents', () => {
  it('answers 405 to every other method, whoever asks, with Allow and in the form of its API, also with a slash at its end', async () => {
    const wrong: string[] = [];
    for (const routes of served.values()) {
      const [route] = routes;
      if (!route) continue;
      const taken = new Set(routes.map(({ method }) => method));
      const path = anyPath(route, 1).replace(/\/$/, '');
      for (const method of METHODS.filter((one) => !taken.has(one)))
        for (const spelling of [path, `${path}/`]) {
          const fault = await findFault(route, method, spelling, taken);
          if (fault) wrong.push(`${writeRoute({ method, url: spelling })}: ${fault}`);
        }
    }
    expect(wrong).toEqual([]);
    expect(served.size).toBeGreaterThan(100);
  });
});

describe('a path with another method', () => {
  it.each([
    ['PUT', '/appointments/1', 'GET, HEAD, POST, DELETE', { code: 'method_not_allowed', instance: '/appointments/%7Buuid%7D' }],
    ['DELETE', '/%61ppointments/search?all=1', 'GET, HEAD', { instance: '/appointments/search' }],
    ['DELETE', '/appointments/search', 'GET, HEAD', { status: 405, detail: 'This path accepts GET or HEAD only.' }],
    ['GET', '/login', 'POST', { title: 'Method Not Allowed' }],
    ['PATCH', '/api/patients', 'GET, HEAD, POST', { exception: 'MethodNotAllowedException', file: 'PATCH /api/patients' }],
    ['DELETE', '/v1/1/patients', 'GET, HEAD, POST', { error: 'This path accepts GET, HEAD or POST only.' }],
    ['GET', '/oauth2/v1/token', 'POST', { error: 'invalid_request', error_description: 'This path accepts POST only.' }],
    ['POST', '/healthz', 'GET, HEAD', { code: 'method_not_allowed' }],
  ] as const)('%s %s is 405 and says what it takes', async (method, path, allow, body) => {
    const answer = await send(test, method, path);
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, allow]);
    expect(answer.json()).toMatchObject(body);
  });

  it.each(['/c/token', '/m/token', '/v/token'])('is a page where pages are: %s', async (path) => {
    const answer = await send(test, 'DELETE', path);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([405, 'text/html; charset=utf-8']);
    expect(answer.headers.allow).toMatch(/^GET, HEAD/);
  });

  it('that is rare is refused as well', async () => {
    const answer = await fetch(`${test.address}/v1/1/patients`, { method: 'PROPFIND' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    expect((await fetch(`${test.address}/nothing`, { method: 'PROPFIND' })).status).toBe(404);
    expect((await fetch(`${test.address}/%zz`, { method: 'PROPFIND' })).status).toBe(400);
  });

  it('is answered by the rules for other origins first, where there are any', async () => {
    const open = await ownTestApp({ CORS_ORIGINS: 'https://portal.example.org' }, { databaseUrl: test.databaseUrl });
    const headers = { origin: 'https://portal.example.org', 'access-control-request-method': 'PUT' };
    const preflight = await open.app.inject({ method: 'OPTIONS', url: '/appointments/1', headers });
    expect([preflight.statusCode, preflight.headers['access-control-allow-origin']]).toEqual([204, 'https://portal.example.org']);
    expect((await send(open, 'PUT', '/appointments/1')).statusCode).toBe(405);
  });
});

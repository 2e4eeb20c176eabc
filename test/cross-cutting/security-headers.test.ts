import { describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../support/actors.ts';
import { ownTestApp, sharedTestApp, type TestApp } from '../support/app.ts';

const OURS = 'https://portal.example.com';
const ALSO_OURS = 'https://admin.example.com';
const FOREIGN = 'https://evil.example.net';

const test = await sharedTestApp();
const open = await ownTestApp({ CORS_ORIGINS: `${OURS}, ${ALSO_OURS}` }, { databaseUrl: test.databaseUrl });
const clinic = await integrationClient(test);

const ask = ({ address }: TestApp, path: string, init: RequestInit = {}) =>
  fetch(`${address}${path}`, { ...init, headers: { authorization: `Bearer ${clinic.token}`, ...init.headers } });

describe('security headers', () => {
  it.each(['/api/appointments/types', '/api/nothing', '/healthz', '/.well-known/jwks.json', '/docs/openapi/mobile.json'])(
    'are on %s',
    async (path) => {
      const { headers } = await ask(test, path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toMatch(/DENY|SAMEORIGIN/);
      expect(headers.get('content-security-policy')).toBeTruthy();
      expect(headers.get('strict-transport-security')).toMatch(/max-age=(?:31536|6[3-9]\d{3})\d{3,}; includeSubDomains/);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('server')).toBeNull();
    },
  );

  it('keep what is about people out of every cache', async () => {
    const { email, password } = await signedInUser(test);
    const answers = [
      await ask(test, '/api/appointments/types'),
      await ask(test, '/api/patients/mrn/none'),
      await ask(test, '/api/appointments', { method: 'POST' }),
      await fetch(`${test.address}/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      }),
      await fetch(`${test.address}/oauth2/v1/token`, { method: 'POST' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 200, 401]);
    expect(answers.map(({ headers }) => headers.get('cache-control'))).toEqual(Array(5).fill('no-store'));
  });
});

describe('a page of another origin', () => {
  const preflight = (app: TestApp, origin: string) =>
    fetch(`${app.address}/api/patients`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,idempotency-key' },
    });

  it('may not call when no origin is configured', async () => {
    const answer = await ask(test, '/api/appointments/types', { headers: { origin: OURS } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const before = await preflight(test, OURS);
    expect([before.status, before.headers.get('access-control-allow-origin')]).toEqual([405, null]);
  });

  it.each([OURS, ALSO_OURS])('may call from a configured origin: %s', async (origin) => {
    const answer = await ask(open, '/api/appointments/types', { headers: { origin } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    expect(answer.headers.get('vary')?.toLowerCase()).toContain('origin');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    const before = await preflight(open, origin);
    expect(before.status).toBe(204);
    expect(before.headers.get('access-control-allow-origin')).toBe(origin);
    expect(before.headers.get('access-control-allow-methods')?.split(/, ?/)).toEqual(
      expect.arrayContaining(['GET', 'POST', 'PUT', 'DELETE']),
    );
    expect(before.headers.get('access-control-allow-headers')).toMatch(/idempotency-key/i);
  });

  it('sees the headers that tell how to go on', async () => {
    const answer = await ask(open, '/api/appointments/types', { headers: { origin: OURS } });
    const exposed = answer.headers.get('access-control-expose-headers')?.toLowerCase().split(/, ?/) ?? [];
    expect(exposed).toEqual(
      expect.arrayContaining([
        'etag',
        'x-request-id',
        'ratelimit',
        'ratelimit-policy',
        'retry-after',
        'warning-fields',
        'idempotent-replayed',
      ]),
    );
  });

  it.each([FOREIGN, `${OURS}.evil.net`, 'null', 'https://portal.example.com:444'])('may not call from %s', async (origin) => {
    const answer = await ask(open, '/api/appointments/types', { headers: { origin } });
    expect(answer.headers.get('access-control-allow-origin')).not.toBe(origin);
    expect(answer.headers.get('access-control-allow-origin')).not.toBe('*');
    const before = await preflight(open, origin);
    expect(before.headers.get('access-control-allow-origin')).not.toBe(origin);
  });
});

import { describe, expect, it } from 'vitest';
import { actorWith, integrationClient, signedInUser } from '../support/actors.ts';
import { ownTestApp, startTestApp } from '../support/app.ts';

const test = await ownTestApp({ RATE_LIMIT: '5' });

const TYPES = '/appointments/types';
const left = (headers: Record<string, string>) =>
  /^"(caller|address|sign-in|no-token)";r=(\d+);t=(\d+)$/.exec(headers.ratelimit ?? '')?.slice(1);

async function spend(times: number, call: () => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = [];
  for (let time = 0; time < times; time += 1) statuses.push((await call()).status);
  return statuses;
}

describe('the limit of a caller', () => {
  it('is told and counted down on every answer, errors included', async () => {
    const clinic = await integrationClient(test);
    const answers = [
      await clinic.get(TYPES),
      await clinic.get('/patients/mrn/none'),
      await clinic.get('/appointments/none'),
      await clinic.post('/patients').set('content-type', 'application/json').send('{'),
      await clinic.put('/patients/2147483647').send({}),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 400, 400, 404]);
    expect(answers.map(({ headers }) => headers['ratelimit-policy'])).toEqual(Array(5).fill('"caller";q=5;w=60'));
    expect(answers.map(({ headers }) => left(headers)?.[1])).toEqual(['4', '3', '2', '1', '0']);
    for (const { headers } of answers) expect(Number(left(headers)?.[2])).toBeGreaterThan(0);
  });

  it('is 429 once it is spent, and says how long to wait', async () => {
    const clinic = await integrationClient(test);
    expect(await spend(5, () => clinic.get(TYPES))).toEqual([200, 200, 200, 200, 200]);
    const answer = await clinic.get(TYPES);
    expect(answer.status).toBe(429);
    expect(answer.headers['retry-after']).toBe(left(answer.headers)?.[2]);
    expect(left(answer.headers)?.[1]).toBe('0');
    expect(answer.body).toMatchObject({ exception: 'TooManyRequestsException', file: 'GET /api/appointments/types', line: 0 });
  });

  it('is his alone: two clients of one organization do not share it', async () => {
    const clinic = await integrationClient(test);
    const colleague = await integrationClient(test, { organizationId: clinic.organizationId });
    const user = await signedInUser(test, { organizationId: clinic.organizationId });
    expect(await spend(6, () => clinic.get(TYPES))).toContain(429);
    expect((await colleague.get(TYPES)).status).toBe(200);
    expect((await user.get(`/api${TYPES}`)).status).toBe(200);
  });

  it('is one for all tokens of a client', async () => {
    const clinic = await integrationClient(test);
    const { body } = await test.http
      .post('/oauth2/v1/token')
      .type('form')
      .auth(clinic.clientId, clinic.clientSecret)
      .send({ grant_type: 'client_credentials' });
    const other = actorWith(test, body.access_token, clinic.organizationId, '/api');
    const answers = [await clinic.get(TYPES), await other.get(TYPES)];
    expect(answers.map(({ headers }) => left(headers)?.[1])).toEqual(['4', '3']);
  });

  it('is told in the form of the mobile API', async () => {
    const user = await signedInUser(test);
    await spend(5, () => user.get('/api/appointments/types'));
    const answer = await user.post('/logout');
    expect(answer.status).toBe(429);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.body).toMatchObject({
      status: 429,
      code: 'rate_limited',
      instance: '/logout',
      request_id: answer.headers['x-request-id'],
    });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('the limit of an address', () => {
  it('counts apart who signs in, who shows no good token, and who opens pages, and leaves those with a token alone', async () => {
    const strict = await startTestApp({ RATE_LIMIT_ANONYMOUS: '2', TRUST_PROXY: '127.0.0.1' }, { databaseUrl: test.databaseUrl });
    strict.http.set('x-forwarded-for', '192.0.2.6');
    const clinic = await integrationClient(test);
    const anonymous = [
      await strict.http.get('/sign-in'),
      await strict.http.post('/login').send({}),
      await strict.http.post('/oauth2/v1/token').type('form').send({}),
      await strict.http.post('/login').send({}),
      await strict.http.get('/api/appointments/types'),
      await strict.http.get('/api/appointments/types').set('authorization', 'Bearer nonsense'),
      await strict.http.get('/api/appointments/types'),
      await strict.http.get('/nothing'),
      await strict.http.get(`/c/${'x'.repeat(32)}`),
      await strict.http.get('/v1/1/nothing'),
      await strict.http.get('/nothing'),
    ];
    expect(anonymous.map(({ status }) => status)).toEqual([200, 400, 429, 429, 401, 401, 429, 404, 404, 429, 429]);
    const kinds = [...Array(4).fill('sign-in'), ...Array(3).fill('no-token'), ...Array(4).fill('address')];
    expect(anonymous.map(({ headers }) => headers['ratelimit-policy'])).toEqual(kinds.map((kind) => `"${kind}";q=2;w=60`));
    expect(anonymous.map(({ headers }) => left(headers)?.slice(0, 2))).toEqual(
      ['1', '0', '0', '0', '1', '0', '0', '1', '0', '0', '0'].map((remaining, index) => [kinds[index], remaining]),
    );
    const refused = anonymous.filter(({ status }) => status === 429);
    expect(refused.map(({ body }) => Object.keys(body))).toEqual([
      ['error', 'error_description'],
      ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id', 'errors'],
      ['exception', 'file', 'line', 'message'],
      ['error'],
      ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id', 'errors'],
    ]);
    for (const { headers } of refused) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    const known = await strict.http.get('/api/appointments/types').set('authorization', `Bearer ${clinic.token}`);
    expect([known.status, left(known.headers)?.[0]]).toEqual([200, 'caller']);
    expect((await strict.http.get('/healthz')).status).toBe(200);
    expect((await strict.http.get('/readyz')).status).toBe(200);
    await strict.close();
  });

  it('is one for a whole IPv6 network, of whose addresses one subscriber has as many as he likes', async () => {
    const proxied = await startTestApp({ TRUST_PROXY: '127.0.0.1' }, { databaseUrl: test.databaseUrl });
    const from = async (address: string) =>
      left((await proxied.http.get('/api/appointments/types').set('x-forwarded-for', address)).headers)?.[1];
    const first = Number(await from('2001:db8:1:2::1'));
    expect(await from('2001:db8:1:2:ffff::9')).toBe(String(first - 1));
    expect(await from('2001:db8:1:3::1')).toBe(String(first));
    expect(await from('198.51.100.7')).toBe(String(first));
    await proxied.close();
  });
});

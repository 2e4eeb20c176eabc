import { describe, expect, it } from 'vitest';
import { integrationClient } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';

const test = await sharedTestApp();
const clinic = await integrationClient(test);

const MADE_HERE = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('X-Request-Id', () => {
  it.each(['a', 'Az09._-', 'x'.repeat(128)])("keeps the caller's %j", async (id) => {
    expect((await clinic.get('/appointments/types').set('x-request-id', id)).headers['x-request-id']).toBe(id);
  });

  it.each([
    ['', 'nothing'],
    ['x'.repeat(129), '129 characters'],
    ['a b', 'a space'],
    ['a/b', 'a slash'],
    ['clé', 'an accent'],
    ['{"a":1}', 'a structure'],
  ])('is a new one instead of %j (%s)', async (id) => {
    const answers = [1, 2].map(() => clinic.get('/appointments/types').set('x-request-id', id));
    const [first, second] = (await Promise.all(answers)).map(({ headers }) => headers['x-request-id']);
    expect(first).toMatch(MADE_HERE);
    expect(second).toMatch(MADE_HERE);
    expect(first).not.toBe(second);
  });

  it('is a new one where the caller sent two', async () => {
    const headers = new Headers({ authorization: `Bearer ${clinic.token}` });
    headers.append('x-request-id', 'one');
    headers.append('x-request-id', 'two');
    const answer = await fetch(`${test.address}/api/appointments/types`, { headers });
    expect(answer.headers.get('x-request-id')).toMatch(MADE_HERE);
  });

  it.each([
    ['a success', '/api/appointments/types', 200],
    ['a refusal', '/api/appointments/none', 400],
    ['an unknown path', '/api/nothing', 404],
    ['an address that cannot be decoded', '/api/%E0%A4%A', 400],
    ['a sign of life', '/healthz', 200],
    ['the metrics', '/metrics', 200],
    ['the public keys', '/.well-known/jwks.json', 200],
    ['a document', '/docs/openapi/integration.json', 200],
  ])('is on %s', async (_what, path, status) => {
    const answer = await test.http.get(path).set('authorization', `Bearer ${clinic.token}`).set('x-request-id', 'mine-1');
    expect([answer.status, answer.headers['x-request-id']]).toEqual([status, 'mine-1']);
  });

  it('is in the log line, the audit row and the event of its request', async () => {
    await clinic.post('/appointments').set('x-request-id', 'traced-1').send({});
    const lines = test.logs.map((line): { reqId?: string; msg: string } => JSON.parse(line)).filter(({ reqId }) => reqId === 'traced-1');
    expect(lines.map(({ msg }) => msg)).toContain('answered');
    expect(await test.database.prisma.auditEntry.count({ where: { requestId: 'traced-1' } })).toBe(1);
    expect(await test.database.prisma.event.count({ where: { requestId: 'traced-1' } })).toBe(1);
  });
});

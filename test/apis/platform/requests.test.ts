import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { removeExpiredRows } from '../../../src/database/logs/expired-rows.ts';
import { clientToken, integrationClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';

const test = await sharedTestApp();
const { prisma } = test.database;

const PATH = '/platform/v1/requests';
type Client = Awaited<ReturnType<typeof integrationClient>>;

/** A request under an id, from a client. */
const send = (client: { token: string }, id: string, path: string) =>
  test.http.get(path).set('authorization', `Bearer ${client.token}`).set('x-request-id', id);
const ask = async ({ token }: { token: string }, query = '') => {
  const answer = await test.http.get(`${PATH}${query}`).set('authorization', `Bearer ${token}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
};

/** A client that has asked for a patient that is not there, and for a list with a misspelled filter. */
async function clientWithFailures(organizationId?: number) {
  const client = await integrationClient(test, organizationId === undefined ? {} : { organizationId });
  const ids = { missing: randomUUID(), misspelled: randomUUID() };
  expect((await send(client, ids.missing, '/api/patients/999999')).status).toBe(404);
  expect((await send(client, ids.misspelled, '/api/patients?lastnaem=Nightingale')).status).toBe(400);
  return { client, ids };
}

describe('GET /platform/v1/requests', () => {
  it('tells a client why its requests failed, at once and without a scope of its own, and never a value', async () => {
    const { client, ids } = await clientWithFailures();
    const [misspelled, missing] = await ask(client, '?status=4xx');
    expect(missing).toMatchObject({
      request_id: ids.missing,
      client_id: client.clientId,
      operation: 'GET /api/patients/{uuid}',
      status: 404,
      code: 'patient_not_found',
      latency_ms: expect.any(Number),
    });
    expect(misspelled).toMatchObject({ request_id: ids.misspelled, status: 400, fields: ['lastnaem'] });
    expect(JSON.stringify(await ask(client))).not.toMatch(/Nightingale|999999/);
    const one = await send(client, randomUUID(), `${PATH}/${ids.missing}`);
    expect(one.body.data).toEqual(missing);
  });

  it('finds by client, operation, status, code and time, and pages to what is older', async () => {
    const { client, ids } = await clientWithFailures();
    const listIds = async (query: string) => (await ask(client, query)).map((row: { request_id: string }) => row.request_id);
    expect(await listIds('?code=patient_not_found')).toEqual([ids.missing]);
    expect(await listIds('?status=400')).toEqual([ids.misspelled]);
    expect(await listIds(`?operation=${encodeURIComponent('GET /api/patients/{uuid}')}`)).toEqual([ids.missing]);
    expect(await listIds(`?status=4xx&client=${client.clientId}`)).toEqual([ids.misspelled, ids.missing]);
    expect(await listIds('?until=2020-01-01')).toEqual([]);
    expect(await listIds('?from=2020-01-01&status=404')).toEqual([ids.missing]);
    const first = await send(client, randomUUID(), `${PATH}?status=4xx&limit=1`);
    const { pathname, search } = new URL(first.body.links.next);
    expect((await send(client, randomUUID(), `${pathname}${search}`)).body).toMatchObject({
      data: [{ request_id: ids.missing }],
      links: { next: null },
    });
    for (const [query, field] of [
      ['status=9', 'status'],
      ['from=yesterday', 'from'],
      ['client=nobody', 'client'],
    ])
      expect((await send(client, randomUUID(), `${PATH}?${query}`)).body.errors, query).toMatchObject([{ pointer: `/${field}` }]);
  });

  it('lists a refusal for a scope that the client lacks, and fields that were ignored', async () => {
    const organizationId = (await integrationClient(test)).organizationId;
    const client = await clientToken(test, ['integration.write'], [organizationId]);
    await send(client, 'no-scope', '/api/patients');
    await test.http
      .post('/api/patients')
      .set('authorization', `Bearer ${client.token}`)
      .set('x-request-id', 'ignored')
      .send({ first_name: 'Ann', last_name: 'Able', nickanme: 'A', '919-555-0100': 'x' });
    expect(await ask(client, '?limit=2')).toMatchObject([
      { request_id: 'ignored', warning_fields: expect.arrayContaining(['nickanme', '(other)']) },
      { request_id: 'no-scope', status: 403, code: 'insufficient_scope' },
    ]);
  });

  it('shows a client its own requests, an administrator those of the practice, and nobody those of another', async () => {
    const { client: ours, ids } = await clientWithFailures();
    const { client: beside } = await clientWithFailures(ours.organizationId);
    const { client: elsewhere } = await clientWithFailures();
    const admin = await signedInUser(test, { organizationId: ours.organizationId, type: 'admin' });
    const clientsIn = async (actor: { token: string }, query = '') =>
      new Set((await ask(actor, query)).map((row: { client_id: string }) => row.client_id));
    expect(await clientsIn(beside)).toEqual(new Set([beside.clientId]));
    expect(await clientsIn(admin)).toEqual(new Set([ours.clientId, beside.clientId]));
    expect(await clientsIn(admin, `?client=${ours.clientId}`)).toEqual(new Set([ours.clientId]));
    for (const stranger of [beside, elsewhere]) {
      expect((await send(stranger, randomUUID(), `${PATH}/${ids.missing}`)).status).toBe(404);
      expect((await send(stranger, randomUUID(), `${PATH}?client=${ours.clientId}`)).status).toBe(404);
    }
  });
});

it('requests are removed after a week, of whichever month they are', async () => {
  const { client, ids } = await clientWithFailures();
  const { organizationId, clientId } = client;
  await ask(client);
  const old = new Date(Date.now() - 7 * 86_400_000 - 60_000);
  const row = { organizationId, clientId, operation: 'GET /old', status: 404, fields: [], warningFields: [], latencyMs: 1 };
  for (const at of [old, new Date(old.getTime() - 60 * 86_400_000)])
    await prisma.clientRequest.create({ data: { ...row, at, requestId: randomUUID() } });
  await removeExpiredRows(prisma);
  const left = await prisma.clientRequest.findMany({ where: { organizationId, status: { gte: 400 } }, orderBy: { id: 'asc' } });
  expect(left.map(({ requestId }) => requestId)).toEqual([ids.missing, ids.misspelled]);
});

it('of many successes a sample is kept, of failures each one', async () => {
  const client: Client = await integrationClient(test);
  await Promise.all(
    Array.from({ length: 40 }, (_, index) => send(client, `of-many-${index}`, index < 20 ? '/api/patients' : '/api/patients/999999')),
  );
  const kept = await ask(client, '?limit=1000');
  const count = (status: number) => kept.filter((row: { status: number }) => row.status === status).length;
  expect(count(404)).toBe(20);
  expect(count(200)).toBeLessThanOrEqual(20);
  expect(count(200)).toBeGreaterThan(0);
});

import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { integrationClient, signedInUser } from '../support/actors.ts';
import { closedAfterAll, createTestDatabase, ownTestApp, type TestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { startProxy } from '../support/proxy.ts';
import { isUpkeep } from '../support/upkeep.ts';

/** Every answer comes within 5 s; a busy machine is given a little more. */
const IN_TIME_MS = 6_500;

/** The application name of the server's connections, which differ by it from those of the test. */
const SERVER = 'server_under_test';

const url = await createTestDatabase();
const proxy = await closedAfterAll(startProxy(url));
const direct = await closedAfterAll(openDatabase({ url, poolSize: 4 }));
const test = await ownTestApp({}, { databaseUrl: `${proxy.url}?application_name=${SERVER}`, connectTimeout: 3_000 });
const clinic = await integrationClient(test);
const user = await signedInUser(test, { organizationId: clinic.organizationId });
const patientId = (await createPatient(direct.prisma, { organizationId: clinic.organizationId, medicalRecordNo: 'A-1' })).id;

const exception = { exception: 'ServiceUnavailableException', file: expect.any(String), line: 0, message: expect.any(String) };
const problem = expect.objectContaining({ status: 503, code: 'unavailable', request_id: expect.any(String) });
const oauthError = { error: 'temporarily_unavailable', error_description: expect.any(String) };

async function newAppointment(): Promise<number> {
  const { organizationId } = clinic;
  const appointment = await direct.prisma.appointment.create({
    data: { organizationId, timeZone: 'America/New_York', durationMinutes: 30 },
  });
  return appointment.id;
}

/** One request of each kind. `prepare` is done while the database is well. */
const KINDS = [
  { name: 'a read', form: exception, call: () => clinic.get('/patients/mrn/A-1'), success: 200 },
  { name: 'a list', form: exception, call: () => clinic.get('/appointments/types'), success: 200 },
  { name: 'a create', form: exception, call: () => clinic.post('/patients').send({ fname: 'Ann' }), success: 200 },
  {
    name: 'a keyed create',
    form: exception,
    call: () => clinic.post('/appointments').set('idempotency-key', randomUUID()).send({}),
    success: 200,
  },
  { name: 'a change', form: exception, call: () => clinic.put(`/patients/${patientId}`).send({ lname: 'Lee' }), success: 200 },
  {
    name: 'a change under If-Match',
    form: exception,
    call: () => clinic.put(`/patients/${patientId}`).set('if-match', '*').send({ lname: 'Kim' }),
    success: 200,
  },
  {
    name: 'a cancellation',
    form: exception,
    prepare: newAppointment,
    call: (id: number) => clinic.delete(`/appointments/${id}`),
    success: 200,
  },
  {
    name: 'a sign-in',
    form: problem,
    call: () => test.http.post('/login').send({ email: user.email, password: user.password }),
    success: 200,
  },
  { name: 'a refresh', form: problem, call: () => test.http.post('/refresh').send({ token: '1.unknown' }), success: 401 },
  {
    name: 'the token endpoint',
    form: oauthError,
    call: () =>
      test.http.post('/oauth2/v1/token').type('form').auth(clinic.clientId, clinic.clientSecret).send({ grant_type: 'client_credentials' }),
    success: 200,
  },
  {
    name: 'an introspection',
    form: oauthError,
    call: () =>
      test.http.post('/oauth2/v1/introspect').type('form').auth(clinic.clientId, clinic.clientSecret).send({ token: clinic.token }),
    success: 200,
  },
] as const;

/** Of those that are tried one after the other. */
const SOME = KINDS.filter((_, index) => isUpkeep || index % 3 === 0);

type Kind = {
  prepare?: () => Promise<number>;
  call: (id: number) => PromiseLike<{ status: number; body: unknown; headers: Record<string, string> }>;
};
const prepared = async ({ prepare, call }: Kind) => {
  const id = prepare ? await prepare() : 0;
  return () => call(id);
};

async function timed(call: () => PromiseLike<{ status: number; body: unknown; headers: Record<string, string> }>) {
  const start = performance.now();
  const { status, body, headers } = await call();
  return { status, body, retryAfter: headers['retry-after'], inTime: performance.now() - start < IN_TIME_MS };
}

/** The response to each kind of request while the database is unreachable. */
async function expectUnavailable(): Promise<void> {
  const calls = await Promise.all(KINDS.map((kind) => prepared(kind)));
  const answers = await Promise.all(calls.map(timed));
  expect(answers).toEqual(KINDS.map(({ form }) => ({ status: 503, body: form, retryAfter: expect.stringMatching(/^\d+$/), inTime: true })));
  const [ready, alive, metrics, unknown, stranger] = await Promise.all(
    ['/readyz', '/healthz', '/metrics', '/nothing', '/api/appointments/types'].map((path) => timed(() => test.http.get(path))),
  );
  expect(ready).toMatchObject({ status: 503, body: { status: 'database unreachable' }, inTime: true });
  expect([alive?.status, metrics?.status, unknown?.status, stranger?.status]).toEqual([200, 200, 404, 401]);
}

/** Opens connections of a server's pool, and leaves them idle. */
async function fillPool({ database }: TestApp, size: number): Promise<void> {
  const clients = await Promise.all(Array.from({ length: size }, () => database.pool.connect()));
  for (const client of clients) client.release();
}

/** Ends every connection of the server as a restart of the database does; answers how many there were. */
async function endConnections(): Promise<number> {
  const { rows } = await direct.pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [SERVER]);
  const isAnyLeft = async () =>
    (await direct.pool.query('SELECT FROM pg_stat_activity WHERE application_name = $1', [SERVER])).rows.length > 0;
  while (await isAnyLeft());
  // A change that one statement both writes and commits is not repeated on a connection that was lost meanwhile: nobody knows what it did.
  await vi.waitFor(() => expect(test.database.pool.totalCount).toBe(0), { timeout: 20_000 });
  return rows.length;
}

describe('a database that was stopped', () => {
  it('is 503 to every kind of request, in its form and in time, takes none with a token for one without, and leaves the server alive', async () => {
    await proxy.cut();
    test.logs.length = 0;
    try {
      await expectUnavailable();
      const valid = await clinic.get('/appointments/types');
      expect([valid.status, valid.headers.ratelimit]).toEqual([503, undefined]);
      const errors = test.logs.map((line) => JSON.parse(line)).flatMap(({ err }) => err ?? []);
      const said = errors.map(({ code, condition }) => `${code} ${condition}`);
      expect(said).toEqual(expect.arrayContaining(['P1001 database_not_reachable', 'ECONNREFUSED connection_refused']));
    } finally {
      await proxy.restore();
    }
  });

  it.each(SOME)('is served again without a restart, first of all $name', async (kind) => {
    const call = await prepared(kind);
    await proxy.cut();
    expect((await call()).status).toBe(503);
    await proxy.restore();
    const answer = await call();
    expect([answer.status, answer.body]).toEqual([kind.success, expect.anything()]);
    expect((await test.http.get('/readyz')).body).toMatchObject({ status: 'ready' });
  });
});

describe('a database that restarts between two requests', () => {
  it.each(SOME)('goes unnoticed by $name', async (kind) => {
    const call = await prepared(kind);
    await fillPool(test, test.config.DATABASE_POOL);
    expect(await endConnections()).toBe(test.config.DATABASE_POOL);
    const answer = await call();
    expect([answer.status, answer.body]).toEqual([kind.success, expect.anything()]);
  });
});

describe('a database that takes connections and never answers', () => {
  it('is 503 to every kind of request, in its form and in time, and served again afterwards', async () => {
    // Some requests find an open connection, the others have to make one.
    await fillPool(test, 3);
    proxy.swallow();
    try {
      await expectUnavailable();
    } finally {
      await proxy.restore();
    }
    const statuses: number[] = [];
    for (const kind of KINDS) statuses.push((await (await prepared(kind))()).status);
    expect(statuses).toEqual(KINDS.map(({ success }) => success));
  });
});

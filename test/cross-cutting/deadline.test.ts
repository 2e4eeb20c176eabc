import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { integrationClient } from '../support/actors.ts';
import { closedAfterAll, createTestDatabase, startTestApp } from '../support/app.ts';
import { runAsOwner } from '../support/database-roles.ts';

/** Every answer comes within 5 s; a busy machine is given a little more. */
const IN_TIME_MS = 6_500;
/** The lock that some audit rows wait for. */
const GATE = 77;

const url = await createTestDatabase();
const direct = await closedAfterAll(openDatabase({ url, poolSize: 2, statementTimeout: 60_000 }));
beforeAll(async () => {
  // Inserting a patient named Slowpoke is slow, and so is the audit of a request with a certain id. A patient is not yet
  // written while he sleeps, so that nobody else's log waits for this. Some audit rows wait until they are let go.
  await runAsOwner(
    url,
    `
    CREATE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(TG_ARGV[0]::float); RETURN NEW; END $$;
    CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${GATE}); RETURN NEW; END $$;
    CREATE TRIGGER take_time BEFORE INSERT ON patient FOR EACH ROW WHEN (NEW.first_name = 'Slowpoke') EXECUTE FUNCTION take_time('3.5');
    CREATE TRIGGER take_time BEFORE INSERT ON audit_entry FOR EACH ROW WHEN (NEW.request_id = 'slow') EXECUTE FUNCTION take_time('1.7');
    CREATE TRIGGER wait BEFORE INSERT ON audit_entry FOR EACH ROW WHEN (NEW.request_id LIKE 'left-%') EXECUTE FUNCTION wait_for_test();`,
  );
});

describe('a request that would take too long', () => {
  it('is told so in time, and what it began is not done', async () => {
    const test = await startTestApp({}, { databaseUrl: url });
    const clinic = await integrationClient(test);
    const start = performance.now();
    const answer = await clinic.post('/patients').set('x-request-id', 'slow').set('idempotency-key', 'k').send({ fname: 'Slowpoke' });
    expect(performance.now() - start).toBeLessThan(IN_TIME_MS);
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
    expect(answer.body).toMatchObject({ exception: 'ServiceUnavailableException', file: 'POST /api/patients' });
    expect(answer.body.message).toMatch(/\. If you sent a change without an Idempotency-Key, first check whether it was made\.$/);
    await test.close();
    const { organizationId } = clinic;
    expect(await direct.prisma.patient.count({ where: { organizationId } })).toBe(0);
    expect(await direct.prisma.event.count({ where: { organizationId } })).toBe(0);
    expect(await direct.prisma.idempotencyRecord.count({ where: { organizationId } })).toBe(0);
    expect(test.logs.filter((line) => /already sent|"level":"error"/i.test(line))).toEqual([]);
  });

  it('is one that has to wait for a connection, too', async () => {
    const test = await startTestApp({ DATABASE_POOL: '2' }, { databaseUrl: url });
    const clinic = await integrationClient(test);
    const held = await Promise.all([test.database.pool.connect(), test.database.pool.connect()]);
    const start = performance.now();
    const answers = await Promise.all([
      clinic.post('/appointments').send({}),
      clinic.get('/appointments/types'),
      clinic.put('/patients/1').send({}),
    ]);
    expect(performance.now() - start).toBeLessThan(IN_TIME_MS);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    for (const client of held) client.release();
    expect((await clinic.post('/appointments').send({})).status).toBe(200);
    await test.close();
  });
});

describe('a server that stops', () => {
  it('first finishes what was begun for callers who left', async () => {
    const test = await startTestApp({}, { databaseUrl: url });
    const clinic = await integrationClient(test);
    await clinic.post('/patients').send({ fname: 'Ann', med_rec_no: 'L-1' });
    const gate = await direct.pool.connect();
    await gate.query('SELECT pg_advisory_lock($1)', [GATE]);
    const left = new AbortController();
    const send = (method: string, path: string, requestId: string, body: string | null) =>
      fetch(`${test.address}/api${path}`, {
        method,
        headers: {
          authorization: `Bearer ${clinic.token}`,
          'x-request-id': requestId,
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        signal: left.signal,
        body,
      });
    const answers = [send('POST', '/patients', 'left-create', '{"fname":"Bob"}'), send('GET', '/patients/mrn/L-1', 'left-read', null)];
    await untilWaiting(2);
    left.abort();
    for (const answer of answers) await expect(answer).rejects.toThrow();
    let isClosed = false;
    const closing = Promise.resolve(test.app.close()).then(() => {
      isClosed = true;
    });
    await sleep(300);
    expect(isClosed).toBe(false);
    await gate.query('SELECT pg_advisory_unlock($1)', [GATE]);
    gate.release();
    await closing;
    const { organizationId } = clinic;
    expect(await direct.prisma.patient.count({ where: { organizationId, firstName: 'Bob' } })).toBe(1);
    expect(await direct.prisma.auditEntry.count({ where: { organizationId, requestId: { in: ['left-create', 'left-read'] } } })).toBe(2);
    expect(test.logs.filter((line) => line.includes('caller left'))).toHaveLength(2);
    await test.database.close();
  });
});

/** Waits until so many audit rows are waiting. */
async function untilWaiting(count: number): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'advisory'`;
  while ((await direct.pool.query(waiting)).rows.length < count);
}

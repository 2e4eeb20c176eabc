import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Db } from '../../../src/database/database.ts';
import { isDatabaseUnreachable } from '../../../src/database/errors.ts';
import { statement } from '../../../src/database/statements/statement.ts';
import { recordChange, writeJournal } from '../../../src/domain/audit/journal-entries.ts';
import { operator } from '../../../src/domain/caller.ts';
import { emptyJournal } from '../../../src/domain/journal.ts';
import { txOf } from '../../../src/domain/tx.ts';
import { createUnitOfWork, type UnitOfWork } from '../../../src/domain/unit-of-work/unit-of-work.ts';
import { monthsAgo, openMeasuring } from '../../apis/mobile/monitoring/readings/reported.ts';
import { signedInUser } from '../../support/actors.ts';
import { ownTestApp } from '../../support/app.ts';
import { runAsOwner, runWithoutTriggers } from '../../support/database-roles.ts';
import { createOrganization, createPatient } from '../../support/factories.ts';

const test = await ownTestApp();
const unitOfWork: UnitOfWork = createUnitOfWork(test.database);

const ONE = statement<{ one: number }>('test_one', 'SELECT 1 AS one');
const DIVIDED_BY_ZERO = statement<{ one: number }>('test_zero', 'SELECT 1 / 0 AS one');
const endOwnConnection = (db: Db) => db.$queryRaw`SELECT pg_terminate_backend(pg_backend_pid())`;
/** Subject of the event whose commit ends its connection. */
const LOST_IN_COMMIT = 987_654;
const countEvents = (organizationId: number) => test.database.prisma.event.count({ where: { organizationId } });

async function someone() {
  return operator((await createOrganization(test.database.prisma)).id, 'test');
}

describe('a write', () => {
  it('is all or nothing: no row, event or audit entry is left of a job that fails at its end', async () => {
    const caller = await someone();
    const attempt = unitOfWork.write(caller, async (tx) => {
      const { id } = await createPatient(tx.prisma, { organizationId: caller.organizationId });
      recordChange(tx, 'create', { name: 'patient.registered', id });
      throw new Error('after the write');
    });
    await expect(attempt).rejects.toThrow('after the write');
    expect(await countEvents(caller.organizationId)).toBe(0);
    expect(await test.database.prisma.patient.count({ where: { organizationId: caller.organizationId } })).toBe(0);
    expect(await test.database.prisma.auditEntry.count({ where: { organizationId: caller.organizationId } })).toBe(0);
  });

  it('writes the logs of one practice: of those of a second one nothing is kept, and nothing of itself', async () => {
    const [caller, other] = [await someone(), await someone()];
    const attempt = unitOfWork.write(caller, async (tx) => {
      const beside = { ...other, journal: emptyJournal() };
      for (const one of [tx, beside]) recordChange(one, 'create', { name: 'patient.registered', id: 1 });
      await writeJournal(txOf(tx.prisma, beside));
    });
    await expect(attempt).rejects.toThrow(`practice ${other.organizationId} writes to those of practice ${caller.organizationId}`);
    expect([await countEvents(caller.organizationId), await countEvents(other.organizationId)]).toEqual([0, 0]);
  });

  it('fails with the error of the first statement that failed, not with that of one after it', async () => {
    const caller = await someone();
    const results = await unitOfWork
      .write(caller, async ({ prepared }) => {
        const sent = [ONE, DIVIDED_BY_ZERO, ONE, ONE].map((each) => prepared.rows(each, []));
        throw Object.assign(new Error('refused'), { results: await Promise.allSettled(sent) });
      })
      .catch((error: { results: PromiseSettledResult<unknown>[] }) => error.results);
    const failed = { status: 'rejected', reason: expect.objectContaining({ code: '22012' }) };
    expect(results).toEqual([{ status: 'fulfilled', value: [{ one: 1 }] }, failed, failed, failed]);
    expect(await unitOfWork.write(caller, ({ prepared }) => prepared.rows(ONE, []))).toEqual([{ one: 1 }]);
  });

  it('is done once when its connection is lost before the commit', async () => {
    const caller = await someone();
    let runs = 0;
    const result = await unitOfWork.write(caller, async (tx) => {
      runs += 1;
      recordChange(tx, 'create', { name: 'patient.registered', id: runs });
      if (runs === 1) await endOwnConnection(tx.prisma);
      return `run ${runs}`;
    });
    expect([result, runs, await countEvents(caller.organizationId)]).toEqual(['run 2', 2, 1]);
  });

  it('is not done again when its connection is lost in the commit, whose outcome nobody knows', async () => {
    await runAsOwner(
      test.databaseUrl,
      `
      CREATE FUNCTION end_connection() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER end_connection AFTER INSERT ON event DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.subject_id = ${LOST_IN_COMMIT}) EXECUTE FUNCTION end_connection();`,
    );
    const caller = await someone();
    let runs = 0;
    const attempt = unitOfWork.write(caller, async (tx) => {
      runs += 1;
      recordChange(tx, 'create', { name: 'employer.created', id: LOST_IN_COMMIT });
    });
    expect(isDatabaseUnreachable(await attempt.catch((error: unknown) => error))).toBe(true);
    expect(runs).toBe(1);
  });

  it('that lost a race sees what the winner did', async () => {
    const caller = await someone();
    const { organizationId } = caller;
    const { id } = await createPatient(test.database.prisma, { organizationId, firstName: 'Ann', flags: [] });
    const where = { organizationId_id: { organizationId, id } };
    let runs = 0;
    await unitOfWork.write(
      caller,
      async ({ prisma: db }) => {
        runs += 1;
        const { flags } = await db.patient.findUniqueOrThrow({ where });
        if (runs === 1) await test.database.prisma.patient.update({ where, data: { flags: ['theirs'] } });
        await db.patient.update({ where, data: { flags: [...flags, 'ours'] } });
      },
      { repeatable: true },
    );
    expect(runs).toBe(2);
    expect((await test.database.prisma.patient.findUniqueOrThrow({ where })).flags).toEqual(['theirs', 'ours']);
  });

  it('that lost a race responds, and answers its repetition, without the warnings of the attempt that lost', async () => {
    const [LOST, MONTH, GATE] = ['lost-race', monthsAgo(2), 78];
    await runAsOwner(
      test.databaseUrl,
      `
      CREATE SEQUENCE attempts;
      CREATE FUNCTION lose_first() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
        PERFORM pg_advisory_xact_lock_shared(${GATE});
        IF nextval('attempts') = 1 THEN RAISE EXCEPTION 'lost' USING ERRCODE = '40001'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER lose_first BEFORE INSERT ON audit_entry FOR EACH ROW WHEN (NEW.request_id = '${LOST}') EXECUTE FUNCTION lose_first();`,
    );
    const admin = await signedInUser(test, { type: 'admin' });
    const { organizationId } = admin;
    const { systolic } = await openMeasuring(test.database.prisma, organizationId);
    const { id: patient_uuid } = await createPatient(test.database.prisma, { organizationId });
    await admin.post(`/remote-patient-monitoring/ledger/${MONTH}/close`).send({}).expect(201);
    const reading = { patient_uuid, item_uuid: systolic.id, value: 120, unit: 'mmHg', measured_at: `${MONTH}-05T15:00:00Z` };
    const send = (requestId: string) =>
      admin.post('/remote-patient-monitoring/readings').set('x-request-id', requestId).set('idempotency-key', 'k').send(reading);
    const gate = await test.database.pool.connect();
    await gate.query('SELECT pg_advisory_lock($1)', [GATE]);
    const sending = send(LOST).then((answer) => answer);
    const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${GATE} AND NOT granted`;
    while ((await gate.query(waiting)).rows.length === 0);
    await runWithoutTriggers(test.databaseUrl, `DELETE FROM closed_month WHERE organization_id = ${organizationId}`);
    await gate.query('SELECT pg_advisory_unlock($1)', [GATE]);
    gate.release();
    for (const answer of [await sending, await send('again')])
      expect([answer.status, answer.headers['warning-fields']]).toEqual([201, undefined]);
  });

  it('that always loses is told to come back, not that the server failed', async () => {
    const caller = await someone();
    let runs = 0;
    const attempt = unitOfWork.write(caller, async (tx) => {
      runs += 1;
      await tx.prisma.$executeRaw`DO $$ BEGIN RAISE EXCEPTION 'no luck' USING ERRCODE = '40001'; END $$`;
    });
    await expect(attempt).rejects.toMatchObject({ kind: 'unavailable', retryAfter: expect.any(Number) });
    expect(runs).toBe(4);
  });

  it('is not committed once its caller was told that it took too long', async () => {
    const caller = await someone();
    const told = new AbortController();
    const attempt = unitOfWork.write(
      caller,
      async (tx) => {
        recordChange(tx, 'create', { name: 'patient.registered', id: 1 });
        told.abort();
      },
      { signal: told.signal },
    );
    await expect(attempt).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await countEvents(caller.organizationId)).toBe(0);
  });
});

describe('a read', () => {
  it('is tried once more when its connection is lost, and not more often', async () => {
    const caller = await someone();
    let runs = 0;
    const lost = unitOfWork.read(caller, async (tx) => {
      runs += 1;
      await endOwnConnection(tx.prisma);
    });
    expect(isDatabaseUnreachable(await lost.catch((error: unknown) => error))).toBe(true);
    expect(runs).toBe(2);
    const lostOnce = unitOfWork.read(caller, async (tx) => {
      runs += 1;
      if (runs === 3) await endOwnConnection(tx.prisma);
      return runs;
    });
    expect(await lostOnce).toBe(4);
  });

  it('is not tried again for any other failure', async () => {
    const caller = await someone();
    let runs = 0;
    const attempt = unitOfWork.read(caller, async (tx) => {
      runs += 1;
      await tx.prisma.$queryRaw`SELECT 1 / 0`;
    });
    await expect(attempt).rejects.toThrow();
    expect(runs).toBe(1);
  });
});

describe('what is under way', () => {
  it('is waited for, also when it began later', async () => {
    const caller = await someone();
    const ended: string[] = [];
    const first = unitOfWork.write(caller, async () => {
      await sleep(50);
      void unitOfWork.read(caller, async () => {
        await sleep(50);
        ended.push('second');
      });
      ended.push('first');
    });
    await unitOfWork.settled();
    expect(ended).toEqual(['first', 'second']);
    await first;
  });
});

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { databaseErrorCode } from '../../src/database/errors.ts';
import { recordChange } from '../../src/domain/audit/journal-entries.ts';
import { operator } from '../../src/domain/caller.ts';
import { type EventPage, type LoggedEvent, readEvents } from '../../src/domain/logs/event-log.ts';
import { txOf } from '../../src/domain/tx.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { integrationClient } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { runAsOwner } from '../support/database-roles.ts';
import { createOrganization } from '../support/factories.ts';

const WRITERS = 50;
const LEAST_EVENTS_EACH = 3;
/** The writers go on until a reader has looked so often. */
const LEAST_READINGS = 5;

const test = await ownTestApp({ DATABASE_POOL: String(WRITERS + 5) });

const read = (organizationId: number, after: string | null, limit: number) =>
  readEvents(txOf(test.database.prisma, operator(organizationId, 'test')), { after, limit });

const newOrganization = async () => (await createOrganization(test.database.prisma)).id;

/** Everything after a cursor, a few at a time. */
async function readOn(organizationId: number, cursor: string | null = null) {
  const events: LoggedEvent[] = [];
  let after = cursor;
  for (;;) {
    const page = await read(organizationId, after, 7);
    after = page.cursor;
    if (page.events.length === 0) return { events, cursor: after };
    events.push(...page.events);
  }
}

/** Reads until so many events have arrived; other transactions may hold them back. */
async function readUntil(organizationId: number, count: number, from: string | null = null): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  let cursor = from;
  while (events.length < count) {
    const page = await readOn(organizationId, cursor);
    events.push(...page.events);
    cursor = page.cursor;
  }
  return events;
}

/** One after the other, because a busy machine may take its time over fifty at once. */
async function openConnections(count: number): Promise<void> {
  const clients: { release(): void }[] = [];
  while (clients.length < count) clients.push(await test.database.pool.connect());
  for (const client of clients) client.release();
}

/** A transaction that a very busy machine could not begin in time is none. */
function notStarted(error: unknown): false {
  if (databaseErrorCode(error) === 'P2028') return false;
  throw error;
}

describe('a reader of the log', () => {
  it('sees each event of 50 parallel writers exactly once, in one order, whenever they commit', async () => {
    const organizationId = await newOrganization();
    const unitOfWork = createUnitOfWork(test.database);
    await openConnections(WRITERS);
    const committed: number[] = [];
    const seen: LoggedEvent[] = [];
    let readings = 0;

    const write = async (writer: number) => {
      for (let round = 0; round < LEAST_EVENTS_EACH || readings < LEAST_READINGS; round += 1) {
        const subject = writer + round * WRITERS;
        const isDone = await unitOfWork
          .write(operator(organizationId, 'test'), async (tx) => {
            // The transaction gets its number now, and commits after another while.
            await tx.prisma.$queryRaw`SELECT pg_current_xact_id()::text, pg_sleep(${Math.random() / 20})::text`;
            recordChange(tx, 'create', { name: 'employer.created', id: subject });
            return true;
          })
          .catch(notStarted);
        if (isDone) committed.push(subject);
      }
    };
    let isWritten = false;
    const writers = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))).finally(() => {
      isWritten = true;
    });
    for (let cursor: string | null = null; !isWritten || seen.length < committed.length; readings += 1) {
      const page: EventPage = await read(organizationId, cursor, 20);
      seen.push(...page.events);
      cursor = page.cursor;
      if (page.events.length === 0) await sleep(10);
    }
    await writers;
    expect(seen.map(({ subjectId }) => subjectId).toSorted((a, b) => a - b)).toEqual(committed.toSorted((a, b) => a - b));
    const inOrder = await test.database.prisma.event.findMany({
      where: { organizationId },
      orderBy: [{ transactionId: 'asc' }, { id: 'asc' }],
    });
    expect(seen.map(({ id }) => BigInt(id))).toEqual(inOrder.map(({ id }) => id));
    // The hard case did occur: they did not commit in the order of the log.
    expect(committed).not.toEqual(seen.map(({ subjectId }) => subjectId));
  });

  it('waits for a transaction that began before and has not ended', async () => {
    const organizationId = await newOrganization();
    const insert = `INSERT INTO event (organization_id, name, subject_type, subject_id, actor) VALUES ($1, 'employer.created', 'employer', $2, 'test')`;
    const early = await test.database.pool.connect();
    await early.query('BEGIN');
    await early.query(insert, [organizationId, 1]);
    await test.database.pool.query(insert, [organizationId, 2]);
    const before = await read(organizationId, null, 10);
    expect(before.events).toEqual([]);
    await early.query('COMMIT');
    early.release();
    const after = await readUntil(organizationId, 2);
    expect(after.map(({ subjectId }) => subjectId)).toEqual([1, 2]);
  });

  it('reads on from its cursor, and misses nothing where there was nothing', async () => {
    const clinic = await integrationClient(test);
    for (let count = 0; count < 3; count += 1) await clinic.post('/appointments').send({});
    await readUntil(clinic.organizationId, 3);
    const first = await read(clinic.organizationId, null, 2);
    const second = await read(clinic.organizationId, first.cursor, 2);
    const third = await read(clinic.organizationId, second.cursor, 2);
    expect([first, second, third].map(({ events }) => events.length)).toEqual([2, 1, 0]);
    const { body } = await clinic.post('/appointments').send({});
    const next = await readUntil(clinic.organizationId, 1, third.cursor);
    expect(next.map(({ subjectId }) => subjectId)).toEqual([body.data.uuid]);
  });

  it('sees nothing of another organization', async () => {
    const [clinic, other] = [await integrationClient(test), await newOrganization()];
    await clinic.post('/appointments').send({});
    await readUntil(clinic.organizationId, 1);
    expect((await read(other, null, 10)).events).toEqual([]);
  });

  it.each(['', 'nonsense', '1.2', 'MS4', 'MS4yLjM', `${'9'.repeat(40)}`])(
    'is refused with a cursor that was never given out: %j',
    async (cursor) => {
      await expect(read(await newOrganization(), cursor, 10)).rejects.toMatchObject({ kind: 'invalid' });
    },
  );
});

describe('the integration API', () => {
  const subjects = async (organizationId: number, count: number) =>
    (await readUntil(organizationId, count)).map(({ name, subjectType, subjectId }) => [name, subjectType, subjectId]);

  it('leaves exactly one event for each change, and none for a read or a refusal', async () => {
    const clinic = await integrationClient(test);
    const send = async (request: PromiseLike<{ body: { data?: { uuid: number } } }>) => (await request).body.data?.uuid;
    const patient = await send(clinic.post('/patients').send({ fname: 'Ann', med_rec_no: 'E-1' }));
    await clinic.put(`/patients/${patient}`).send({ fname: 'Anna' });
    const type = await send(clinic.post('/appointments/types').send({ name: 'Visit' }));
    await clinic.put('/appointments/types').send({ uuid: type, name: 'Long visit' });
    const appointment = await send(clinic.post('/appointments').send({ patient_id: patient, appointment_date: '2027-03-01T09:00:00' }));
    await clinic.put(`/appointments/${appointment}`).send({ appointment_date: '2027-03-02T09:00:00' });
    await clinic.put(`/appointments/${appointment}`).send({ appointment_type_id: type });
    await clinic.get(`/appointments/${appointment}`);
    await clinic.get('/patients/mrn/E-1');
    await clinic.post('/patients').send({ med_rec_no: 'E-1' });
    await clinic.put(`/patients/${patient}`).send({ dob: 'never' });
    await clinic.delete(`/appointments/${appointment}`);
    await clinic.delete(`/appointments/${appointment}`);
    expect(await subjects(clinic.organizationId, 8)).toEqual([
      ['patient.registered', 'patient', patient],
      ['patient.updated', 'patient', patient],
      ['appointment_type.created', 'appointment_type', type],
      ['appointment_type.updated', 'appointment_type', type],
      ['appointment.scheduled', 'appointment', appointment],
      ['appointment.moved', 'appointment', appointment],
      ['appointment.changed', 'appointment', appointment],
      ['appointment.cancelled', 'appointment', appointment],
    ]);
  });

  it('writes the event in the transaction of the change: when that fails after the write, there is neither', async () => {
    const name = `fails_${randomUUID().replaceAll('-', '')}`;
    await runAsOwner(
      test.databaseUrl,
      `
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
      CREATE CONSTRAINT TRIGGER ${name} AFTER INSERT ON event DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.request_id = '${name}') EXECUTE FUNCTION ${name}();`,
    );
    const clinic = await integrationClient(test);
    const answers = [
      await clinic.post('/patients').set('x-request-id', name).send({ fname: 'Ann' }),
      await clinic.post('/appointments').set('x-request-id', name).set('idempotency-key', 'k').send({}),
    ];
    expect(answers.map(({ status, body }) => [status, body.exception])).toEqual(Array(2).fill([500, 'InternalServerException']));
    const { organizationId } = clinic;
    const { prisma } = test.database;
    expect(await prisma.event.count({ where: { organizationId } })).toBe(0);
    expect(await prisma.patient.count({ where: { organizationId } })).toBe(0);
    expect(await prisma.appointment.count({ where: { organizationId } })).toBe(0);
    expect(await prisma.auditEntry.count({ where: { organizationId } })).toBe(0);
    expect(await prisma.idempotencyRecord.count({ where: { organizationId } })).toBe(0);
  });

  it('names in an event what changed, and never a value', async () => {
    const clinic = await integrationClient(test);
    await clinic.post('/patients').set('x-request-id', 'named').send({ fname: 'Quimby', med_rec_no: 'MRN-778', dob: '1971-03-04' });
    const [event] = await readUntil(clinic.organizationId, 1);
    expect(event).toMatchObject({ actor: `client:${clinic.clientId}`, requestId: 'named', occurredAt: expect.any(Date) });
    expect(event?.changed).toEqual(expect.arrayContaining(['firstName', 'medicalRecordNo', 'birthDate']));
    expect(JSON.stringify({ ...event, id: 0 })).not.toMatch(/Quimby|MRN-778|1971/);
  });
});

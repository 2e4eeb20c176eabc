import { Socket } from 'node:net';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import { ownTestApp } from '../../support/app.ts';
import { runAsOwner } from '../../support/database-roles.ts';

const test = await ownTestApp();
const system = await practiceClient(test, { organization: { matchOnRegistration: true } });

const FORM = { firstname: 'Ann', lastname: 'Trip', dob: '01/15/1980', zip: '27601' };

/** The prepared statements that a request sends, by their names, in the order and the groups in which they leave. */
async function flushesOf(request: () => Promise<{ status: number }>): Promise<string[][]> {
  const flushes: string[][] = [];
  let sent: string[] = [];
  const query = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [config] = args;
    if (typeof config === 'object' && config !== null && 'name' in config) sent.push(String(config.name));
    return Reflect.apply(realQuery, this, args);
  });
  const uncork = vi.spyOn(Socket.prototype, 'uncork').mockImplementation(function (this: Socket) {
    if (this.writableCorked === 1 && sent.length > 0) {
      flushes.push(sent);
      sent = [];
    }
    Reflect.apply(realUncork, this, []);
  });
  expect((await request()).status).toBe(200);
  query.mockRestore();
  uncork.mockRestore();
  return flushes.filter((names) => names.some((name) => TRANSACTION.test(name)));
}

const realQuery = pg.Client.prototype.query;
const realUncork = Socket.prototype.uncork;
const TRANSACTION = /^(begin|begin_repeatable|commit)$/;

it('a registration with an Idempotency-Key takes two round trips', async () => {
  const register = (key: string) => async () =>
    system
      .post('/patients')
      .type('form')
      .set('idempotency-key', key)
      .send({ ...FORM, firstname: key });
  await register('warm')();
  expect(await flushesOf(register('counted'))).toEqual([
    ['begin', 'claim_key', 'registration_context', 'patient_ids', 'lock_name', 'same_person', 'possible_matches'],
    ['insert_patient', 'journal', 'commit'],
  ]);
});

it('a change of a patient takes two round trips', async () => {
  const [{ patientid }] = (await system.post('/patients').type('form').send(FORM)).body;
  const change = (city: string) => async () => system.put(`/patients/${patientid}`).type('form').send({ city });
  await change('Durham')();
  expect(await flushesOf(change('Cary'))).toEqual([
    ['begin', 'lock_patient'],
    [expect.stringMatching(/^change_patient_\d+$/), 'journal', 'commit'],
  ]);
});

it('leaves nothing of a registration whose connection is lost between its journal and its commit', async () => {
  await runAsOwner(
    test.databaseUrl,
    `
    CREATE FUNCTION end_connection() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER end_connection AFTER INSERT ON event DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.name = 'patient.registered') EXECUTE FUNCTION end_connection();`,
  );
  const { organizationId } = system;
  const where = { organizationId, requestId: 'lost-in-commit' };
  const send = () =>
    system
      .post('/patients')
      .type('form')
      .set('idempotency-key', 'lost')
      .set('x-request-id', 'lost-in-commit')
      .send({ ...FORM, firstname: 'Lost' });
  const before = await test.database.prisma.patient.count({ where: { organizationId } });
  expect((await send()).status).toBe(503);
  expect(await test.database.prisma.patient.count({ where: { organizationId } })).toBe(before);
  expect(await test.database.prisma.event.count({ where })).toBe(0);
  expect(await test.database.prisma.auditEntry.count({ where })).toBe(0);
  expect(await test.database.prisma.idempotencyRecord.count({ where: { organizationId, key: 'lost' } })).toBe(0);
  await runAsOwner(test.databaseUrl, 'DROP TRIGGER end_connection ON event; DROP FUNCTION end_connection();');
  expect((await send()).status).toBe(200);
});

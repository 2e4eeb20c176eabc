import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { createTestDatabase } from '../support/app.ts';
import { createAppointmentType, createOrganization, createUser } from '../support/factories.ts';

/** References that leave the practice have no foreign key; triggers of the database keep them true. */

const REFUSED = { code: '23503' };

let url: string;
let database: Database;
let owner: number;
let other: number;
beforeAll(async () => {
  url = await createTestDatabase();
  database = openDatabase({ url, poolSize: 4 });
  owner = (await createOrganization(database.prisma)).id;
  other = (await createOrganization(database.prisma)).id;
});
afterAll(() => database.close());

async function connections(): Promise<[pg.Client, pg.Client]> {
  const [first, second] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  await Promise.all([first.connect(), second.connect()]);
  return [first, second];
}

/** Two transactions of one statement each: the first has executed its own when the second is sent, and commits after it. */
async function race(first: { sql: string; values: unknown[] }, second: { sql: string; values: unknown[] }): Promise<string[]> {
  const [one, two] = await connections();
  await one.query('BEGIN');
  await one.query(first.sql, first.values);
  const pid: number = (await two.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
  const later = two.query(second.sql, second.values).then(
    () => 'done',
    (error: unknown) => (error instanceof pg.DatabaseError ? String(error.code) : 'failed'),
  );
  await expect.poll(async () => (await database.pool.query('SELECT cardinality(pg_blocking_pids($1)) AS n', [pid])).rows[0].n).toBe(1);
  await one.query('COMMIT');
  const results = ['done', await later];
  await Promise.all([one.end(), two.end()]);
  return results;
}

const createAppointment = (organizationId: number) =>
  database.prisma.appointment.create({ data: { organizationId, timeZone: 'UTC', durationMinutes: 30 } });

const setType = (appointment: { organizationId: number; id: number }, type: { organizationId: number; id: number }) => ({
  sql: 'UPDATE appointment SET type_organization_id = $1, type_id = $2 WHERE organization_id = $3 AND id = $4',
  values: [type.organizationId, type.id, appointment.organizationId, appointment.id],
});
const deleteType = (type: { organizationId: number; id: number }) => ({
  sql: 'DELETE FROM appointment_type WHERE organization_id = $1 AND id = $2',
  values: [type.organizationId, type.id],
});
const run = ({ sql, values }: { sql: string; values: unknown[] }) => database.pool.query(sql, values);

describe("an appointment's type", () => {
  const types = async () => ({
    private: await createAppointmentType(database.prisma, { organizationId: owner, name: 'Private' }),
    global: await createAppointmentType(database.prisma, { organizationId: owner, name: 'Global', isGlobal: true }),
  });

  it('exists, and is of the practice or global', async () => {
    const [own, foreign] = [await createAppointment(owner), await createAppointment(other)];
    const type = await types();
    for (const fitting of [setType(own, type.private), setType(own, type.global), setType(foreign, type.global)]) await run(fitting);
    const unknown = { organizationId: owner, id: 2_000_000_000 };
    for (const wrong of [setType(own, unknown), setType(foreign, unknown), setType(foreign, type.private)])
      await expect(run(wrong)).rejects.toMatchObject(REFUSED);
  });

  it.each(['owner', 'other'] as const)('cannot be deleted while an appointment of the %s has it', async (user) => {
    const appointment = await createAppointment(user === 'owner' ? owner : other);
    const { global } = await types();
    await run(setType(appointment, global));
    await expect(run(deleteType(global))).rejects.toMatchObject(REFUSED);
    await database.pool.query('UPDATE appointment SET type_organization_id = NULL, type_id = NULL WHERE type_id = $1', [global.id]);
    expect((await run(deleteType(global))).rowCount).toBe(1);
  });

  it.each(['owner', 'other'] as const)('is not deleted while an appointment of the %s is given it', async (user) => {
    const appointment = await createAppointment(user === 'owner' ? owner : other);
    const [first, second] = [await types(), await types()];
    expect(await race(setType(appointment, first.global), deleteType(first.global))).toEqual(['done', '23503']);
    expect(await race(deleteType(second.global), setType(appointment, second.global))).toEqual(['done', '23503']);
  });
});

describe("a grant's client", () => {
  const makeClient = async (id: string) => database.prisma.apiClient.create({ data: { id, name: 'Client', scopes: ['practice.read'] } });
  const grant = async (client: string) => {
    const { user } = await createUser(database.prisma, { organizationId: owner, type: 'interface' });
    return {
      sql: 'INSERT INTO api_client_grant (organization_id, client_id, user_id) VALUES ($1, $2, $3)',
      values: [owner, client, user.id],
    };
  };
  const deleteClient = (id: string) => ({ sql: 'DELETE FROM api_client WHERE id = $1', values: [id] });

  it('exists, and cannot be deleted while it has grants', async () => {
    await expect(run(await grant('nobody'))).rejects.toMatchObject(REFUSED);
    await makeClient('granted');
    await run(await grant('granted'));
    await expect(run(deleteClient('granted'))).rejects.toMatchObject(REFUSED);
    await database.pool.query(`DELETE FROM api_client_grant WHERE client_id = 'granted'`);
    expect((await run(deleteClient('granted'))).rowCount).toBe(1);
  });

  it('is not deleted while it is given one', async () => {
    await Promise.all([makeClient('first'), makeClient('second')]);
    expect(await race(await grant('first'), deleteClient('first'))).toEqual(['done', '23503']);
    expect(await race(deleteClient('second'), await grant('second'))).toEqual(['done', '23503']);
  });
});

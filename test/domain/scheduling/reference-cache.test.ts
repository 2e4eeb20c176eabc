import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, type Db, openDatabase } from '../../../src/database/database.ts';
import { createPrepared, type Prepared, preparedIn } from '../../../src/database/statements/statement.ts';
import { operator } from '../../../src/domain/caller.ts';
import { APPOINTMENTS_BY_ID } from '../../../src/domain/scheduling/appointments.sql.ts';
import { withReferences } from '../../../src/domain/scheduling/lists/appointment-reader.ts';
import { REFERENCES } from '../../../src/domain/scheduling/lists/references.sql.ts';
import { createTestDatabase } from '../../support/app.ts';
import { createAppointmentType, createOffice, createOrganization } from '../../support/factories.ts';
import { appointmentReferences, createAppointment } from '../../support/schedule.ts';

let database: Database;
/** Two pools' worth of reads, as two servers on one database have them. */
let [first, second]: Counted[] = [];
let rows: Awaited<ReturnType<typeof practiceWithAppointment>>;
beforeAll(async () => {
  database = openDatabase({ url: await createTestDatabase(), poolSize: 3 });
});
afterAll(() => database.close());
beforeEach(async () => {
  [first, second] = [counted(), counted()];
  rows = await practiceWithAppointment(database.prisma);
});

type Counted = Prepared & { asked: number };

/** Counts how often it is asked for references. */
function counted(): Counted {
  const prepared = createPrepared(database.pool);
  const counting: Counted = {
    asked: 0,
    rows: (statement, values) => {
      if (statement.name === REFERENCES.name) counting.asked += 1;
      return prepared.rows(statement, values);
    },
  };
  return counting;
}

/** One appointment that refers to one of everything; its type is another practice's. */
async function practiceWithAppointment(db: Db) {
  const [{ id: organizationId }, { id: owner }] = [await createOrganization(db), await createOrganization(db)];
  const { office, room, location, patient } = await appointmentReferences(db, organizationId);
  const shared = await createAppointmentType(db, { organizationId: owner, name: 'Everybody’s', isGlobal: true });
  const user = await db.user.create({ data: { organizationId, type: 'staff', firstName: 'Una', lastName: 'User' } });
  const appointment = await createAppointment(
    db,
    {
      organizationId,
      startsAt: '2031-01-15T14:00:00Z',
      patientId: patient.id,
      officeId: office.id,
      locationId: location.id,
      waitingRoomId: room.id,
      typeId: shared.id,
      typeOrganizationId: owner,
      createdByUserId: user.id,
    },
    [user.id],
  );
  return { organizationId, owner, office, room, location, shared, user, appointment };
}

async function shownBy(prepared: Prepared | undefined, { organizationId, appointment } = rows) {
  if (!prepared) throw new Error('there is nobody to ask');
  const read = await prepared.rows(APPOINTMENTS_BY_ID, [organizationId, [appointment.id]]);
  const [shown] = await withReferences(prepared, operator(organizationId, 'test'), read);
  return shown;
}

const keyOf = (row: { id: number }, organizationId = rows.organizationId) => ({ organizationId_id: { organizationId, id: row.id } });

describe('references', () => {
  it('are asked for once, and not again when somebody is seen or a reference is added', async () => {
    const before = await shownBy(first);
    await database.prisma.user.update({ where: keyOf(rows.user), data: { lastSeenAt: new Date(), chatStatus: 'online' } });
    await createOffice(database.prisma, { organizationId: rows.organizationId });
    expect(await shownBy(first)).toEqual(before);
    expect(first?.asked).toBe(1);
    await createAppointment(database.prisma, { organizationId: rows.organizationId }).then((appointment) =>
      shownBy(first, { ...rows, appointment: { ...rows.appointment, id: appointment.id } }),
    );
    expect(first?.asked).toBe(1);
  });

  it.each([
    ['an office', 'office', (db: Db) => db.office.update({ where: keyOf(rows.office), data: { name: 'New' } })],
    ['a location', 'location', (db: Db) => db.location.update({ where: keyOf(rows.location), data: { name: 'New' } })],
    ['a waiting room', 'waitingRoom', (db: Db) => db.waitingRoom.update({ where: keyOf(rows.room), data: { name: 'New' } })],
    ['a creator', 'createdBy', (db: Db) => db.user.update({ where: keyOf(rows.user), data: { firstName: 'New' } })],
    ['a global type', 'type', (db: Db) => db.appointmentType.update({ where: keyOf(rows.shared, rows.owner), data: { name: 'New' } })],
  ] as const)('show the new name of %s at once, on each server, and the old one when it was taken back', async (_, part, change) => {
    const before = await shownBy(first);
    await shownBy(second);
    await expect(
      database.prisma.$transaction(async (tx) => {
        await shownBy(preparedIn(tx));
        await change(tx);
        expect(JSON.stringify((await shownBy(preparedIn(tx)))?.[part])).toContain('"New"');
        expect(await shownBy(first)).toEqual(before);
        throw new Error('taken back');
      }),
    ).rejects.toThrow('taken back');
    for (const server of [first, second]) expect(await shownBy(server)).toEqual(before);
    await change(database.prisma);
    for (const server of [first, second]) expect(JSON.stringify((await shownBy(server))?.[part])).toContain('"New"');
    for (const server of [first, second]) expect(server?.asked).toBe(2);
  });

  it('show a type of another practice as it is, also when it is global no more', async () => {
    const rename = (data: { name?: string; isGlobal?: boolean }) =>
      database.prisma.appointmentType.update({ where: keyOf(rows.shared, rows.owner), data });
    await shownBy(first);
    await rename({ isGlobal: false });
    expect((await shownBy(first))?.type).toMatchObject({ name: 'Everybody’s', isGlobal: false });
    await rename({ name: 'Ours alone' });
    expect((await shownBy(first))?.type?.name).toBe('Ours alone');
  });

  it('are of the practice that asks, also where another has the same ids', async () => {
    const { id } = rows.office;
    const other = { ...rows, organizationId: (await createOrganization(database.prisma)).id };
    await createOffice(database.prisma, { organizationId: other.organizationId, id, name: 'Theirs' });
    const appointment = await createAppointment(database.prisma, { organizationId: other.organizationId, officeId: id });
    for (const time of [1, 2]) {
      expect((await shownBy(first))?.office?.name, `time ${time}`).toBe('North');
      expect((await shownBy(first, { ...other, appointment }))?.office?.name, `time ${time}`).toBe('Theirs');
    }
    expect(first?.asked).toBe(2);
  });

  it('are remembered of a hundred practices, and of those the ones that were asked for last', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => 1_000_000 + index);
    const [eldest = 0, second = 0] = ids;
    await database.pool.query(`
      INSERT INTO organization (id, name, time_zone, updated_at) SELECT id, 'Practice', 'UTC', now() FROM generate_series(${eldest}, ${eldest + 100}) AS id;
      INSERT INTO office (organization_id, name, time_zone, updated_at) SELECT id, 'North', 'UTC', now() FROM organization WHERE id >= ${eldest};
      INSERT INTO appointment (organization_id, id, office_id, time_zone, duration_minutes, updated_at)
      SELECT organization_id, organization_id, id, 'UTC', 30, now() FROM office WHERE organization_id >= ${eldest}`);
    const ask = (id: number) => shownBy(first, { ...rows, organizationId: id, appointment: { ...rows.appointment, id } });
    for (const id of ids.slice(0, -1)) await ask(id);
    await ask(eldest);
    expect(first?.asked).toBe(100);
    await ask(eldest + 100);
    await ask(eldest);
    expect(first?.asked).toBe(101);
    await ask(second);
    expect(first?.asked).toBe(102);
  });

  it('are not remembered where one page has more than two thousand', async () => {
    await database.pool.query(
      `WITH added AS (INSERT INTO "user" (organization_id, type, first_name, last_name, updated_at)
                      SELECT $1, 'staff', 'U', n::text, now() FROM generate_series(1, 2000) AS n RETURNING id)
       INSERT INTO user_appointment (organization_id, user_id, appointment_id) SELECT $1, id, $2 FROM added`,
      [rows.organizationId, rows.appointment.id],
    );
    expect((await shownBy(first))?.users).toHaveLength(2_001);
    expect((await shownBy(first))?.users).toHaveLength(2_001);
    expect(first?.asked).toBe(2);
  });
});

const TABLES = [
  [
    'office',
    'active address1 address2 city fax name patient_department_name phone state time_zone zip',
    () => [rows.organizationId, rows.office.id],
  ],
  ['location', 'address1 address2 city name phone state zip', () => [rows.organizationId, rows.location.id]],
  ['waiting_room', 'name user_id', () => [rows.organizationId, rows.room.id]],
  ['"user"', 'active email first_name last_name phone type', () => [rows.organizationId, rows.user.id]],
  ['appointment_type', 'active created_at description duration_minutes is_global name updated_at', () => [rows.owner, rows.shared.id]],
] as const;

/** Another value for a column, by its type. */
const ANOTHER: Record<string, string> = {
  text: `coalesce($column, '') || 'x'`,
  boolean: 'NOT $column',
  integer: `CASE WHEN $column IS NULL THEN coalesce((SELECT max(id) FROM "user" WHERE organization_id = $1), 7) END`,
  'timestamp with time zone': `coalesce($column, now()) + interval '1 day'`,
  'USER-DEFINED': `(SELECT e FROM unnest(enum_range($column)) AS e WHERE e <> $column LIMIT 1)`,
};

describe('the version', () => {
  it.each(TABLES)('is another one whenever a shown column of %s is, and no other column makes it so', async (table, shown, key) => {
    const client = await database.pool.connect();
    const seen: string[] = [];
    try {
      const { rows: columns } = await client.query<{ name: string; type: string }>(
        `SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1
            AND column_name NOT IN ('organization_id', 'id')`,
        [table.replaceAll('"', '')],
      );
      for (const { name, type } of columns) {
        const another = ANOTHER[type]?.replaceAll('$column', name);
        if (!another) continue;
        await client.query('BEGIN');
        const before = await answer(client);
        // A reference to a missing row is refused: no reference shows such a column.
        const done = await client
          .query(`UPDATE ${table} SET ${name} = ${another} WHERE organization_id = $1 AND id = $2`, [...key()])
          .catch(() => null);
        const after = done && (await answer(client));
        if (after && after.version !== before.version) seen.push(name);
        if (after) expect({ name, same: after.text === before.text }).toEqual({ name, same: after.version === before.version });
        await client.query('ROLLBACK');
      }
    } finally {
      client.release();
    }
    expect(seen.sort()).toEqual(shown.split(' '));
  });

  const answer = async (client: pg.PoolClient) => {
    const { organizationId, owner, office, location, room, user, shared } = rows;
    const values = [organizationId, [office.id], [location.id], [room.id], [user.id], [owner], [shared.id]];
    const { rows: read } = await client.query<{ kind: string; version: string }>(REFERENCES.text, values);
    expect(read.map(({ kind }) => kind).sort()).toEqual(['location', 'office', 'type', 'user', 'waitingRoom']);
    return { version: read[0]?.version, text: JSON.stringify(read.map(({ version, ...reference }) => reference)) };
  };
});

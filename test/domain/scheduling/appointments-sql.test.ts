import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectionOptions } from '../../../src/database/database.ts';
import type { Statement } from '../../../src/database/statement.ts';
import { LISTS, type ListQueries } from '../../../src/domain/scheduling/appointment-list-queries.sql.ts';
import { APPOINTMENTS_BY_ID } from '../../../src/domain/scheduling/appointments.sql.ts';
import { REFERENCES } from '../../../src/domain/scheduling/references.sql.ts';
import { createTestDatabase } from '../../support/app.ts';
import { asSuperuser } from '../../support/database-roles.ts';

/** The organization with the rows. */
const ORGANIZATION = 1;
const APPOINTMENTS = 120_000;
/** Two years, twenty users, eight offices, thirty thousand patients; a sixteenth cancelled. */
const FILL = `
  SET session_replication_role = replica;
  INSERT INTO organization (id, name, time_zone, updated_at) SELECT i, 'Practice ' || i, 'UTC', now() FROM generate_series(1, 2) AS i;
  INSERT INTO "user" (organization_id, id, type, first_name, last_name, updated_at)
  SELECT ${ORGANIZATION}, i, 'staff', 'U', 'U' || i, now() FROM generate_series(1, 20) AS i;
  INSERT INTO office (organization_id, id, name, time_zone, updated_at) SELECT ${ORGANIZATION}, i, 'O' || i, 'UTC', now() FROM generate_series(1, 8) AS i;
  INSERT INTO appointment_type (organization_id, id, name, updated_at) SELECT ${ORGANIZATION}, i, 'T' || i, now() FROM generate_series(1, 10) AS i;
  INSERT INTO patient (organization_id, id, first_name, last_name, updated_at)
  SELECT ${ORGANIZATION}, i, 'P', 'P' || i, now() FROM generate_series(1, 30000) AS i;
  INSERT INTO appointment (organization_id, id, patient_id, type_organization_id, type_id, office_id, time_zone, duration_minutes, status,
         confirmation, starts_at, ends_at, local_start, updated_at)
  SELECT ${ORGANIZATION}, i, 1 + i * 7 % 30000, ${ORGANIZATION}, 1 + i % 10, 1 + i * 13 % 8, 'UTC', 30,
         (CASE WHEN i % 16 = 0 THEN 'cancelled' ELSE 'scheduled' END)::appointment_status,
         (ARRAY['Yes', 'Pending', 'No'])[1 + i % 3]::confirmation_answer, at, at + interval '30 minutes', at AT TIME ZONE 'UTC', now()
    FROM generate_series(1, ${APPOINTMENTS}) AS i
   CROSS JOIN LATERAL (SELECT timestamptz '2030-01-01T00:00Z' + (i::bigint * 7919 % 1051200) * interval '1 minute' AS at) AS t;
  INSERT INTO user_appointment (organization_id, user_id, appointment_id, starts_at, ends_at)
  SELECT organization_id, 1 + id * 11 % 20, id, starts_at, ends_at FROM appointment;
  SET session_replication_role = origin;`;

const TABLES = ['appointment', 'user_appointment', 'patient', 'office', 'appointment_type', '"user"', 'organization'];

let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client(connectionOptions(asSuperuser(await createTestDatabase()), 60_000));
  await client.connect();
  await client.query(FILL);
  for (const table of TABLES) await client.query(`VACUUM (ANALYZE) ${table}`);
}, 120_000);
afterAll(() => client.end());

interface Node {
  'Node Type': string;
  'Relation Name'?: string | undefined;
  'Index Name'?: string | undefined;
  'Actual Rows'?: number | undefined;
  'Actual Loops'?: number | undefined;
  'Rows Removed by Filter'?: number | undefined;
  Plans?: Node[] | undefined;
}

const node: z.ZodType<Node> = z.looseObject({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  'Index Name': z.string().optional(),
  'Actual Rows': z.number().optional(),
  'Actual Loops': z.number().optional(),
  'Rows Removed by Filter': z.number().optional(),
  get Plans() {
    return z.array(node).optional();
  },
});
const explained = z.tuple([z.object({ 'QUERY PLAN': z.tuple([z.object({ Plan: node })]) })]);

/** Values as PostgreSQL reads them in a statement. */
const literals = (values: unknown[]): string =>
  values
    .map((value) => (value === null ? 'NULL' : pg.escapeLiteral(Array.isArray(value) ? `{${value.join(',')}}` : String(value))))
    .join(', ');

/** How PostgreSQL runs a statement that a connection has planned once and for all, or anew for these values. */
async function planOf({ name, text }: Statement<pg.QueryResultRow>, values: unknown[], mode: 'generic' | 'custom'): Promise<Node> {
  await client.query(`SET plan_cache_mode = force_${mode}_plan`);
  await client.query(`PREPARE ${name} AS ${text}`);
  const { rows } = await client.query(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE ${name} (${literals(values)})`);
  await client.query(`DEALLOCATE ${name}`);
  return explained.parse(rows)[0]['QUERY PLAN'][0].Plan;
}

const nodesOf = (plan: Node): Node[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const large = (one: Node) => ['appointment', 'user_appointment', 'patient'].includes(one['Relation Name'] ?? '');

/** Rows that were looked at in the large tables, shown or not. */
const touched = (plan: Node): number =>
  nodesOf(plan)
    .filter(large)
    .reduce((sum, one) => sum + ((one['Actual Rows'] ?? 0) + (one['Rows Removed by Filter'] ?? 0)) * (one['Actual Loops'] ?? 1), 0);

const fullReads = (plan: Node) =>
  nodesOf(plan)
    .filter((one) => one['Node Type'] === 'Seq Scan' && large(one))
    .map((one) => one['Relation Name']);

/** Sorts of more rows than a page has. */
const largeSorts = (plan: Node) =>
  nodesOf(plan).filter((one) => one['Node Type'] === 'Sort' && (one.Plans?.[0]?.['Actual Rows'] ?? 0) > 100).length;

const indexes = (plan: Node) => nodesOf(plan).flatMap((one) => one['Index Name'] ?? []);

const BY_TIME = 'appointment_organization_id_starts_at_id_idx';
const BY_OFFICE = 'appointment_organization_id_office_id_starts_at_id_idx';
const BY_PATIENT = 'appointment_organization_id_patient_id_starts_at_idx';
const BY_USER = 'user_appointment_organization_id_user_id_starts_at_appointm_idx';

const day = [ORGANIZATION, '2031-03-04T00:00:00Z', '2031-03-05T00:00:00Z'];
const month = [ORGANIZATION, '2031-03-01T00:00:00Z', '2031-04-01T00:00:00Z'];
const ever = [ORGANIZATION, '-infinity', 'infinity'];
/** Type, location, confirmation and on tasks. */
const [open, confirmed] = [
  [null, null, null, null],
  [null, null, 'Yes', null],
];

/** Values of a queries, which index leads it, and how many rows of the large tables a page of 100 and a count may touch. */
const CASES: [string, ListQueries, unknown[], { index: string; page: number; count: number }][] = [
  ['a day of one user', LISTS.byUser.all, [...day, 7], { index: BY_USER, page: 60, count: 30 }],
  ['a month of one office', LISTS.byOffice.all, [...month, 3], { index: BY_OFFICE, page: 1_300, count: 800 }],
  ['the confirmed of a month', LISTS.byTime.filtered, [...month, ...confirmed], { index: BY_TIME, page: 6_400, count: 5_500 }],
  ['the confirmed of one user over a month', LISTS.byUser.filtered, [...month, 7, ...confirmed], { index: BY_USER, page: 900, count: 600 }],
  ['a month of everybody', LISTS.byTime.all, [...month], { index: BY_TIME, page: 6_000, count: 5_500 }],
  ['one patient', LISTS.byPatient.all, [...ever, 70], { index: BY_PATIENT, page: 60, count: 20 }],
  [
    'one patient in an office',
    LISTS.byPatient.filteredFurther,
    [...ever, 70, ...open, 3, null, null],
    { index: BY_PATIENT, page: 60, count: 20 },
  ],
  [
    'a day of one user with another',
    LISTS.byUser.filteredFurther,
    [...day, 7, ...open, null, [3], null],
    { index: BY_USER, page: 60, count: 60 },
  ],
  [
    'one patient with a provider',
    LISTS.byPatient.filteredFurther,
    [...ever, 70, ...open, null, null, [5]],
    { index: BY_PATIENT, page: 60, count: 60 },
  ],
  ['a day of three users', LISTS.byUsers.all, [...day, [3, 7, 9]], { index: BY_USER, page: 250, count: 80 }],
];

/** For the values at hand PostgreSQL may know better: two indexes at once for the first, the whole table to count all of it. */
const GENERIC: typeof CASES = [
  [
    'a month of one office and type',
    LISTS.byOffice.filtered,
    [...month, 3, 5, null, null, null],
    { index: BY_OFFICE, page: 1_800, count: 800 },
  ],
  ['everything of everybody', LISTS.byTime.all, [...ever], { index: BY_TIME, page: APPOINTMENTS + 500, count: APPOINTMENTS }],
];

describe.each([
  ['generic', [...CASES, ...GENERIC]],
  ['custom', CASES],
] as const)('with a %s plan,', (mode, cases) => {
  it.each(cases)(
    'a page of %s, and where it is full its total, is read along its index, and nothing more',
    async (_, queries, values, { index, page }) => {
      const plans = [await planOf(queries.first, [...values, 100], mode), await planOf(queries.page, [...values, 100, 0], mode)];
      for (const plan of plans) {
        expect(indexes(plan)).toContain(index);
        expect(fullReads(plan)).toEqual([]);
        expect(largeSorts(plan)).toBe(0);
        expect(touched(plan)).toBeLessThan(page);
      }
    },
  );

  it.each(cases)(
    'the count, and the percentage, of %s reads no row that it does not count or leave out',
    async (_, queries, values, { index, count }) => {
      for (const statement of [queries.count, queries.confirmations]) {
        const plan = await planOf(statement, values, mode);
        expect(indexes(plan)).toContain(index);
        expect(fullReads(plan)).toEqual([]);
        expect(largeSorts(plan)).toBe(0);
        expect(touched(plan)).toBeLessThanOrEqual(count);
        if ([BY_TIME, BY_OFFICE].includes(index)) expect(nodesOf(plan).map((one) => one['Node Type'])).toContain('Index Only Scan');
      }
    },
  );

  it('a late page is skipped to in the index', async () => {
    const plan = await planOf(LISTS.byTime.all.page, [...ever, 100, 100_000], mode);
    const [scan] = nodesOf(plan).filter((one) => one['Index Name'] === BY_TIME);
    expect(scan?.['Node Type']).toBe('Index Only Scan');
    expect(largeSorts(plan)).toBe(0);
  });

  it('records by id, and what they refer to, are looked up', async () => {
    const records = await planOf(APPOINTMENTS_BY_ID, [ORGANIZATION, [1, 2, 3]], mode);
    expect(fullReads(records)).toEqual([]);
    expect(touched(records)).toBeLessThan(20);
    const references = await planOf(REFERENCES, [ORGANIZATION, [1], [1], [1], [1, 2], [1, 1], [1, 2]], mode);
    expect(nodesOf(references).filter(large)).toEqual([]);
  });
});

/** Those of a certain place or certain people are rare, and cheap enough to be planned anew. */
const RARE = [LISTS.byUsers.all, ...Object.values(LISTS).map(({ filteredFurther }) => filteredFurther)];
const HOT = CASES.filter(([, queries]) => !RARE.includes(queries));

describe('left to itself,', () => {
  it.each(HOT)('PostgreSQL plans the first page of %s once, and not for every request', async (_, { first }, values) => {
    await client.query('RESET plan_cache_mode');
    await client.query(`PREPARE hot AS ${first.text}`);
    for (let time = 0; time < 7; time += 1) await client.query(`EXECUTE hot (${literals([...values, 100])})`);
    const { rows } = await client.query(`SELECT generic_plans > 0 AS once FROM pg_prepared_statements WHERE name = 'hot'`);
    await client.query('DEALLOCATE hot');
    expect(rows).toEqual([{ once: true }]);
  });
});

import { describe, expect, it } from 'vitest';
import { NONE } from '../../../src/database/statements/no-id.ts';
import { REFERENCES } from '../../../src/domain/scheduling/appointment/appointment-references.ts';
import { APPOINTMENT_BY_ID, APPOINTMENTS_BY_ID } from '../../../src/domain/scheduling/appointment/appointments.sql.ts';
import { BOOKING_CONTEXT, CHANGE_CONTEXT, HOLD_CHART } from '../../../src/domain/scheduling/appointment/booking-context.sql.ts';
import {
  APPOINTMENTS as ALL,
  type AppointmentList,
  confirmationCounts,
  type ListFilter,
  OF_USER,
  OF_USERS,
} from '../../../src/domain/scheduling/lists/appointment-list-queries.sql.ts';
import { explain, fullyRead, indexesIn, literals, nodeTypes, openFilledDatabase, type PlanNode, rowsTouched } from '../../support/plans.ts';

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
         confirmation, starts_at, ends_at, local_start, external_id, updated_at)
  SELECT ${ORGANIZATION}, i, 1 + i * 7 % 30000, ${ORGANIZATION}, 1 + i % 10, 1 + i * 13 % 8, 'UTC', 30,
         (CASE WHEN i % 16 = 0 THEN 'cancelled' ELSE 'scheduled' END)::appointment_status,
         (ARRAY['Yes', 'Pending', 'No'])[1 + i % 3]::confirmation_answer, at, at + interval '30 minutes', at AT TIME ZONE 'UTC', 'X-' || i, now()
    FROM generate_series(1, ${APPOINTMENTS}) AS i
   CROSS JOIN LATERAL (SELECT timestamptz '2030-01-01T00:00Z' + (i::bigint * 7919 % 1051200) * interval '1 minute' AS at) AS t;
  INSERT INTO user_appointment (organization_id, user_id, appointment_id, starts_at, ends_at)
  SELECT organization_id, 1 + id * 11 % 20, id, starts_at, ends_at FROM appointment;
  SET session_replication_role = origin;`;

const TABLES = ['appointment', 'user_appointment', 'patient', 'office', 'appointment_type', '"user"', 'organization'];

const client = await openFilledDatabase(FILL, ...TABLES.map((table) => `VACUUM (ANALYZE) ${table}`));

const large = (step: PlanNode) => ['appointment', 'user_appointment', 'patient'].includes(step['Relation Name'] ?? '');

/** Rows that were looked at in the large tables, shown or not. */
const touched = (steps: PlanNode[]): number => steps.filter(large).reduce((sum, step) => sum + rowsTouched(step), 0);

/** Large tables that are read from one end to the other. */
const fullReads = (steps: PlanNode[]) => fullyRead(steps.filter(large));

/** Sorts of more rows than a page has. */
const largeSorts = (steps: PlanNode[]) =>
  steps.filter((step) => step['Node Type'] === 'Sort' && (step.Plans?.[0]?.['Actual Rows'] ?? 0) > 100).length;

const BY_TIME = 'appointment_organization_id_starts_at_id_idx';
const BY_OFFICE = 'appointment_organization_id_office_id_starts_at_id_idx';
const BY_PATIENT = 'appointment_organization_id_patient_id_starts_at_idx';
const BY_USER = 'user_appointment_organization_id_user_id_starts_at_appointm_idx';

const day = [ORGANIZATION, '2031-03-04T00:00:00Z', '2031-03-05T00:00:00Z'];
const month = [ORGANIZATION, '2031-03-01T00:00:00Z', '2031-04-01T00:00:00Z'];
const ever = [ORGANIZATION, '-infinity', 'infinity'];
const BY_START = { order: 'start', descending: false } as const;

interface Queries {
  of: AppointmentList;
  values: unknown[];
  given?: ListFilter;
}

/** A list, which index leads it, and how many rows of the large tables a page of 100 and a count may touch. */
const CASES: [string, Queries, { index: string; page: number; count: number }][] = [
  ['a day of one user', { of: OF_USER, values: [...day, 7] }, { index: BY_USER, page: 60, count: 30 }],
  ['a month of one office', { of: ALL, values: month, given: { officeId: 3 } }, { index: BY_OFFICE, page: 1_300, count: 800 }],
  ['the confirmed of a month', { of: ALL, values: month, given: { confirmation: 'Yes' } }, { index: BY_TIME, page: 6_400, count: 5_500 }],
  [
    'the confirmed of one user over a month',
    { of: OF_USER, values: [...month, 7], given: { confirmation: 'Yes' } },
    { index: BY_USER, page: 900, count: 600 },
  ],
  ['a month of everybody', { of: ALL, values: month }, { index: BY_TIME, page: 6_000, count: 5_500 }],
  ['one patient', { of: ALL, values: ever, given: { patient: [70, false] } }, { index: BY_PATIENT, page: 60, count: 20 }],
  [
    'one patient in an office',
    { of: ALL, values: ever, given: { patient: [70, false], officeId: 3 } },
    { index: BY_PATIENT, page: 60, count: 20 },
  ],
  [
    'a day of one user with another',
    { of: OF_USER, values: [...day, 7], given: { userIds: [3] } },
    { index: BY_USER, page: 60, count: 60 },
  ],
  [
    'one patient with a provider',
    { of: ALL, values: ever, given: { patient: [70, false], providerIds: [5] } },
    { index: BY_PATIENT, page: 60, count: 60 },
  ],
  [
    'one of another system',
    { of: ALL, values: ever, given: { externalId: 'X-7' } },
    { index: 'appointment_external_id_key', page: 20, count: 5 },
  ],
  ['a day of three users', { of: OF_USERS, values: [...day, [3, 7, 9]] }, { index: BY_USER, page: 250, count: 80 }],
];

/** For the values at hand PostgreSQL may know better: two indexes at once for the first, the whole table to count all of it. */
const GENERIC: typeof CASES = [
  [
    'a month of one office and type',
    { of: ALL, values: month, given: { officeId: 3, typeId: 5 } },
    { index: BY_OFFICE, page: 1_800, count: 800 },
  ],
  ['everything of everybody', { of: ALL, values: ever }, { index: BY_TIME, page: APPOINTMENTS + 500, count: APPOINTMENTS }],
];

describe.each([
  ['generic', [...CASES, ...GENERIC]],
  ['custom', CASES],
] as const)('with a %s plan,', (mode, cases) => {
  it.each(cases)(
    'a page of %s, and where it is full its total, is read along its index, and nothing more',
    async (_, { of, values, given = {} }, { index, page }) => {
      const all = [...values, ...of.values(given)];
      const plans = [
        await explain(client, of.page(BY_START, given), [...all, 100], { mode }),
        await explain(client, of.page(BY_START, given, 'page'), [...all, 100, 0], { mode }),
      ];
      for (const plan of plans) {
        expect(indexesIn(plan)).toContain(index);
        expect(fullReads(plan)).toEqual([]);
        expect(largeSorts(plan)).toBe(0);
        expect(touched(plan)).toBeLessThan(page);
      }
    },
  );

  it.each(cases)(
    'the count, and the percentage, of %s reads no row that it does not count or leave out',
    async (_, { of, values, given = {} }, { index, count }) => {
      for (const statement of [of.count(given), confirmationCounts(of, given)]) {
        const plan = await explain(client, statement, [...values, ...of.values(given)], { mode });
        expect(indexesIn(plan)).toContain(index);
        expect(fullReads(plan)).toEqual([]);
        expect(largeSorts(plan)).toBe(0);
        expect(touched(plan)).toBeLessThanOrEqual(count);
        if ([BY_TIME, BY_OFFICE].includes(index)) expect(nodeTypes(plan)).toContain('Index Only Scan');
      }
    },
  );

  it('a late page is skipped to in the index', async () => {
    const plan = await explain(client, ALL.page(BY_START, {}, 'page'), [...ever, 100, 100_000], { mode });
    const [scan] = plan.filter((one) => one['Index Name'] === BY_TIME);
    expect(scan?.['Node Type']).toBe('Index Only Scan');
    expect(largeSorts(plan)).toBe(0);
  });

  it('records by id, and what they refer to, are looked up', async () => {
    const records = await explain(client, APPOINTMENTS_BY_ID, [ORGANIZATION, [1, 2, 3]], { mode });
    expect(fullReads(records)).toEqual([]);
    expect(touched(records)).toBeLessThan(20);
    const references = await explain(client, REFERENCES, [ORGANIZATION, [1], [1], [1], [1, 2], [1, 1], [1, 2]], { mode });
    expect(references.filter(large)).toEqual([]);
  });

  it('one appointment, and all that a booking and a change must know, are looked up', async () => {
    const places = [ORGANIZATION, 3, null, null, 1, NONE, [7]];
    const statements = [
      [BOOKING_CONTEXT, [...places, 7]],
      [CHANGE_CONTEXT, [...places, 7]],
      [HOLD_CHART, [ORGANIZATION, 70]],
      [APPOINTMENT_BY_ID, [ORGANIZATION, 7, false]],
    ] as const;
    for (const [statement, values] of statements) {
      const plan = await explain(client, statement, [...values], { mode });
      expect(fullReads(plan)).toEqual([]);
      expect(touched(plan)).toBeLessThan(20);
    }
  });
});

/** Those of a certain place or certain people are rare, and cheap enough to be planned anew. */
const isRare = ({ of, given = {} }: Queries): boolean =>
  of === OF_USERS || ['userIds', 'providerIds', 'externalId'].some((name) => Object.hasOwn(given, name)) || Object.keys(given).length > 1;
const HOT = CASES.filter(([, queries]) => !isRare(queries));

describe('left to itself,', () => {
  it.each(HOT)('PostgreSQL plans the first page of %s once, and not for every request', async (_, { of, values, given = {} }) => {
    await client.query('RESET plan_cache_mode');
    await client.query(`PREPARE hot AS ${of.page(BY_START, given).text}`);
    for (let time = 0; time < 7; time += 1) await client.query(`EXECUTE hot (${literals([...values, ...of.values(given), 100])})`);
    const { rows } = await client.query(`SELECT generic_plans > 0 AS once FROM pg_prepared_statements WHERE name = 'hot'`);
    await client.query('DEALLOCATE hot');
    expect(rows).toEqual([{ once: true }]);
  });
});

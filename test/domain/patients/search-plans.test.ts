import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectionOptions } from '../../../src/database/database.ts';
import type { Statement } from '../../../src/database/statements/statement.ts';
import { PATIENT_RECORD_BY_ID, PATIENT_RECORDS_BY_IDS } from '../../../src/domain/patients/record/record.sql.ts';
import { type ChartFilter, soughtCharts } from '../../../src/domain/patients/search/chart-filters.sql.ts';
import { type SearchKind, searchStatements } from '../../../src/domain/patients/search/search.sql.ts';
import { createTestDatabase } from '../../support/app.ts';
import { asSuperuser } from '../../support/database-roles.ts';
import { createManyPatients, withoutIndexes } from '../../support/many-patients.ts';
import { explain, fullyRead, indexesIn, PLAN_MODES, type PlanMode, type PlanNode } from '../../support/plans.ts';

/** Enough that the planner means it. */
const PATIENTS = 40_000;

let client: pg.Client;
let office: number;
beforeAll(async () => {
  const url = await createTestDatabase();
  client = new pg.Client(connectionOptions(asSuperuser(url), 10 * 60_000));
  await client.connect();
  await client.query(
    `INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'Large', 'UTC', now()), (2, 'Small', 'UTC', now())`,
  );
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO office (organization_id, name, time_zone, updated_at) SELECT 1, 'Office ' || n, 'UTC', now() FROM generate_series(1, 10) n RETURNING id`,
  );
  const ids = rows.map(({ id }) => id);
  await withoutIndexes(client, ['patient', 'patient_name_key', 'appointment'], async () => {
    await createManyPatients(url, 1, PATIENTS, ids);
    await createManyPatients(url, 2, 1_000);
    // As a replica, which does not look up for each row what it refers to.
    await client.query(
      `SET session_replication_role = replica;
       INSERT INTO appointment (organization_id, patient_id, starts_at, ends_at, local_start, time_zone, duration_minutes, updated_at)
       SELECT organization_id, id, day, day + interval '30 minutes', day, 'UTC', 30, now() FROM patient, (VALUES (timestamptz '2026-01-05'), ('2026-03-05')) AS days (day);
       INSERT INTO appointment (organization_id, patient_id, starts_at, ends_at, local_start, time_zone, duration_minutes, updated_at, office_id, provider_id)
       SELECT organization_id, id, at, at + interval '30 minutes', at AT TIME ZONE 'UTC', 'UTC', 30, now(), primary_office_id, id % 20 + 1
         FROM (SELECT *, now() + interval '10 minutes' * (id - 500) AS at FROM patient) p;
       SET session_replication_role = origin`,
    );
  });
  await client.query('VACUUM (ANALYZE) appointment');
  office = ids[0] ?? 0;
}, 300_000);
afterAll(() => client.end());

const explainStatement = (statement: Statement<pg.QueryResultRow>, values: unknown[], mode: PlanMode) =>
  explain(client, statement, values, { mode, run: false });

const scans = (nodes: PlanNode[]) => nodes.filter((node) => / Scan$/.test(node['Node Type']) && node['Relation Name'] !== undefined);

/** A question with its values, and the index that stands in the order of its answer. */
const QUESTIONS: [index: string, kind: SearchKind, values: (string | number)[]][] = [
  ['last', { lastName: false, firstName: false, office: false }, []],
  ['office', { lastName: false, firstName: false, office: true }, ['office']],
  ['first', { lastName: false, firstName: true, office: false }, ['bf']],
  ['first', { lastName: false, firstName: true, office: true }, ['b', 'office']],
  ['last', { lastName: true, firstName: false, office: false }, ['s']],
  ['last', { lastName: true, firstName: false, office: false }, ['Clast1']],
  ['last', { lastName: true, firstName: true, office: false }, ['s', 'a']],
  ['office', { lastName: true, firstName: false, office: true }, ['c', 'office']],
  ['office', { lastName: true, firstName: true, office: true }, ['c', 'b', 'office']],
];

describe.each(PLAN_MODES)('with %s plans', (mode) => {
  describe.each(QUESTIONS)('the search along the index by %s, of %j, for %j', (index, kind, given) => {
    const { page, pageAfter } = searchStatements(kind);
    const values = () => [1, ...given.map((value) => (value === 'office' ? office : value))];
    /** The page from its range; and counted along the same index, or where all are counted along the narrowest. */
    const expectTwoRanges = (nodes: PlanNode[]): PlanNode | undefined => {
      const range = { 'Node Type': 'Index Only Scan', 'Index Name': `patient_name_key_${index}_idx` };
      const [listed, counted, ...more] = scans(nodes);
      expect(counted).toMatchObject(given.length > 0 ? range : { 'Node Type': 'Index Only Scan' });
      expect(listed).toMatchObject(range);
      expect(more).toEqual([]);
      expect(nodes.map((node) => node['Node Type'])).not.toContain('Sort');
      // Expressions that are equal for all rows are evaluated once, in generic plans as well.
      expect(nodes.filter(({ Filter = '' }) => Filter.includes('fold('))).toEqual([]);
      return listed;
    };

    it('counts, and reads a page in the order of the index, by a range each', async () => {
      for (const limit of [50, 5_000]) expectTwoRanges(await explainStatement(page, [...values(), limit, 0], mode));
    });

    it('goes on after a patient in that range', async () => {
      const listed = expectTwoRanges(await explainStatement(pageAfter, [...values(), 1_500, 0, 'clast1', 'b', 17], mode));
      expect(listed?.['Index Cond']).toMatch(/ROW\(/);
    });
  });

  it.each(QUESTIONS)(
    'the search along the index by %s, of %j, for %j, with restricted charts reads no other chart',
    async (_, kind, given) => {
      const { page, pageAfter } = searchStatements({ ...kind, restricted: true });
      const values = [1, ...given.map((value) => (value === 'office' ? office : value))];
      for (const plan of [
        await explainStatement(page, [...values, 50, 0], mode),
        await explainStatement(pageAfter, [...values, 50, 0, 'clast1', 'b', 17], mode),
      ]) {
        const charts = scans(plan).filter((node) => node['Relation Name'] === 'patient');
        expect(charts.map((node) => node['Index Name'])).toEqual(charts.map(() => 'patient_restricted_idx'));
      }
    },
  );

  it.each([50, 1_500, 5_000])('%d records are each looked up by their keys', async (howMany) => {
    const ids = `{${Array.from({ length: howMany }, (_, at) => at + 1).join(',')}}`;
    const nodes = await explainStatement(PATIENT_RECORDS_BY_IDS, [1, ids, '2026-11-01'], mode);
    expectLookups(nodes);
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Hash Join');
  });

  it('one record is looked up by its key', async () => {
    expectLookups(await explainStatement(PATIENT_RECORD_BY_ID, [1, 17, '2026-11-01'], mode));
  });
});

const OFFICE_INDEX = 'appointment_organization_id_office_id_starts_at_id_idx';
const PROVIDER_INDEX = 'appointment_organization_id_provider_id_starts_at_idx';

it.each<[filter: ChartFilter, indexes: string[]]>([
  [{ appointmentOfficeId: 1 }, [OFFICE_INDEX]],
  [{ appointmentProviderId: 7 }, [PROVIDER_INDEX]],
  [{ appointmentHours: 24 }, ['appointment_organization_id_starts_at_id_idx']],
  [{ appointmentOfficeId: 1, appointmentHours: 24 }, [OFFICE_INDEX]],
  [{ appointmentProviderId: 7, appointmentHours: 24 }, [PROVIDER_INDEX]],
  [{ appointmentOfficeId: 1, appointmentProviderId: 7, appointmentHours: 24 }, [OFFICE_INDEX, PROVIDER_INDEX]],
])('the search by the appointment to come of %j reads a range of appointments', async (filter, indexes) => {
  const charts = soughtCharts({ ...filter, ...(filter.appointmentOfficeId === undefined ? {} : { appointmentOfficeId: office }) });
  const { page } = searchStatements({ lastName: false, firstName: false, office: false }, charts);
  const nodes = await explainStatement(page, [1, ...(charts?.values ?? []), 50, 0], 'custom');
  expect(fullyRead(nodes)).not.toContain('appointment');
  const ranges = nodes.filter((node) => node['Index Name']?.startsWith('appointment_'));
  expect(ranges.map((node) => node['Index Cond'])).toEqual(ranges.map(() => expect.stringContaining('starts_at')));
  expect(indexes).toEqual(expect.arrayContaining(indexesIn(ranges)));
  expect(ranges).not.toEqual([]);
});

/** Nothing is read whole but the practice, and first and last appointment come from the index that has them in order. */
function expectLookups(nodes: PlanNode[]): void {
  const read = scans(nodes).filter(
    (node) => !['organization', 'employer', 'privacy_item', 'portal_account'].includes(node['Relation Name'] ?? ''),
  );
  expect(new Set(read.map((node) => node['Index Name']))).toEqual(
    new Set(['patient_pkey', 'appointment_organization_id_patient_id_starts_at_idx']),
  );
}

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PatientFilter, type PatientListing, patientCount, patientPage } from '../../../../src/domain/patients/list.sql.ts';
import { createTestDatabase } from '../../../support/app.ts';
import { asSuperuser } from '../../../support/database-roles.ts';

/** Enough that a plan which reads all of them would not be chosen by chance. */
const PATIENTS = 30_000;

let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client({ connectionString: asSuperuser(await createTestDatabase()) });
  await client.connect();
  await client.query(`
    INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'One', 'UTC', now()), (2, 'Two', 'UTC', now());
    INSERT INTO office (organization_id, id, name, time_zone, updated_at) SELECT 1, n, 'Office', 'UTC', now() FROM generate_series(1, 10) n;
    INSERT INTO patient (organization_id, first_name, last_name, birth_date, medical_record_no, mobile_phone, primary_office_id, updated_at)
    SELECT 1 + n % 2, 'First' || n * 7919 % 997, 'Last' || n * 31 % 5003 || CASE WHEN n % 20 = 0 THEN '-Other' ELSE '' END,
           date '1930-01-01' + n % 30000, 'M' || n, '+1910' || (1000000 + n), CASE WHEN n % 2 = 0 THEN 1 + n % 10 END, now()
      FROM generate_series(1, ${PATIENTS}) n;
    ANALYZE`);
  await client.query('VACUUM patient_name_key');
});
afterAll(() => client.end());

const NONE: PatientFilter = { lastName: false, firstName: false, office: false, ofUser: false };

interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: Plan[];
}

/** How many rows the largest step of a plan handled, and its kinds. */
async function planOf(text: string, values: unknown[], mode: string) {
  await client.query(`SET plan_cache_mode = ${mode}`);
  const { rows } = await client.query({ text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values });
  const steps = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(steps)];
  const all = steps(rows[0]['QUERY PLAN'][0].Plan);
  return { kinds: all.map((step) => step['Node Type']), most: Math.max(...all.map((step) => step['Actual Rows'] * step['Actual Loops'])) };
}

const listing = (order: PatientListing['order'], filter: Partial<PatientFilter> = {}, descending = false): PatientListing => ({
  order,
  filter: { ...NONE, ...filter },
  descending,
});

describe.each(['force_custom_plan', 'force_generic_plan'])('under %s a page of patients', (mode) => {
  it.each<[string, PatientListing, unknown[]]>([
    ['in the order of the search', listing('search'), []],
    ['by id', listing('id'), []],
    ['by id, backwards', listing('id', {}, true), []],
    ['by last name', listing('lastName'), []],
    ['by last name, backwards', listing('lastName', {}, true), []],
    ['by first name', listing('firstName'), []],
    ['by the start of the last name', listing('search', { lastName: true }), ['last1']],
    ['by the start of the first name', listing('search', { firstName: true }), ['first1']],
    ['of an office', listing('search', { office: true }), [3]],
    ['of an office by the start of the last name', listing('search', { office: true, lastName: true }), ['last', 3]],
  ])('%s reads its own keys and no more', async (_, which, values) => {
    const { kinds, most } = await planOf(patientPage(which).text, [1, 100, 0, ...values], mode);
    expect(kinds).not.toContain('Seq Scan');
    expect(kinds).not.toContain('Sort');
    expect(kinds).toContain('Index Only Scan');
    expect(most).toBeLessThanOrEqual(100);
  });

  it.each(['medicalRecordNo', 'mobilePhone', 'primaryOfficeId'] as const)('by %s follows its index', async (order) => {
    const { kinds, most } = await planOf(patientPage(listing(order)).text, [1, 100, 0], mode);
    expect(kinds).not.toContain('Seq Scan');
    expect(most).toBeLessThan(PATIENTS / 20);
  });
});

describe('the number of patients', () => {
  it.each<[string, Partial<PatientFilter>, unknown[]]>([
    ['all', {}, []],
    ['by last name', { lastName: true }, ['last1']],
    ['of an office', { office: true }, [3]],
  ])('%s is counted without a look at a chart', async (_, filter, values) => {
    const { text } = patientCount({ ...NONE, ...filter });
    expect(text).not.toMatch(/\bpatient\b/);
    const { rows } = await client.query({ text, values: [1, ...values] });
    expect(rows[0].total).toBeGreaterThan(0);
  });
});

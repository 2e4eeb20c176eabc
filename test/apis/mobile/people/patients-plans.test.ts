import { describe, expect, it } from 'vitest';
import { type PatientFilter, type PatientListing, patientCount, patientPage } from '../../../../src/domain/patients/search/list.sql.ts';
import { explain, fullyRead, mostRows, nodeTypes, openFilledDatabase, PLAN_MODES } from '../../../support/plans.ts';

/** Enough that a plan which reads all of them would not be chosen by chance. */
const PATIENTS = 30_000;

const client = await openFilledDatabase(
  `
    INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'One', 'UTC', now()), (2, 'Two', 'UTC', now());
    INSERT INTO office (organization_id, id, name, time_zone, updated_at) SELECT 1, n, 'Office', 'UTC', now() FROM generate_series(1, 10) n;
    INSERT INTO patient (organization_id, first_name, last_name, birth_date, medical_record_no, mobile_phone, primary_office_id, updated_at)
    SELECT 1 + n % 2, 'First' || n * 7919 % 997, 'Last' || n * 31 % 5003 || CASE WHEN n % 20 = 0 THEN '-Other' ELSE '' END,
           date '1930-01-01' + n % 30000, 'M' || n, '+1910' || (1000000 + n), CASE WHEN n % 2 = 0 THEN 1 + n % 10 END, now()
      FROM generate_series(1, ${PATIENTS}) n;
    ANALYZE`,
  'VACUUM patient_name_key',
);

const NONE: PatientFilter = { lastName: false, firstName: false, office: false, ofUser: false, restricted: false };

const listing = (order: PatientListing['order'], filter: Partial<PatientFilter> = {}, descending = false): PatientListing => ({
  order,
  filter: { ...NONE, ...filter },
  descending,
});

describe.each(PLAN_MODES)('with a %s plan a page of patients', (mode) => {
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
    const steps = await explain(client, patientPage(which), [1, 100, 0, ...values], { mode });
    expect(fullyRead(steps)).toEqual([]);
    expect(nodeTypes(steps)).not.toContain('Sort');
    expect(nodeTypes(steps)).toContain('Index Only Scan');
    expect(mostRows(steps)).toBeLessThanOrEqual(100);
  });

  it.each(['medicalRecordNo', 'mobilePhone', 'primaryOfficeId'] as const)('by %s follows its index', async (order) => {
    const steps = await explain(client, patientPage(listing(order)), [1, 100, 0], { mode });
    expect(fullyRead(steps)).toEqual([]);
    expect(mostRows(steps)).toBeLessThan(PATIENTS / 20);
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

import { describe, expect, it } from 'vitest';
import { findChangeStatement, LOCK_PATIENT } from '../../../src/domain/patients/chart/change-patient.ts';
import { FIELDS, NO_FIELDS } from '../../../src/domain/patients/chart/chart-fields.sql.ts';
import { PATIENT_RECORDS_BY_IDS } from '../../../src/domain/patients/record/record.sql.ts';
import * as sections from '../../../src/domain/patients/record/record-sections.sql.ts';
import { POSSIBLE_MATCHES, SAME_PERSON } from '../../../src/domain/patients/registration/possible-matches.sql.ts';
import * as writes from '../../../src/domain/patients/registration/registration.sql.ts';
import { explain, fullyRead, openFilledDatabase, PLAN_MODES, rowsTouched } from '../../support/plans.ts';

const PATIENTS = 20_000;
/** A group, with an office of its own, for each so many patients. */
const EACH = 10;

/** As a replica: neither foreign keys nor triggers cost anything, and the rows keep the first. */
const FILL = `
  SET session_replication_role = replica;
  INSERT INTO organization (id, name, time_zone, is_enterprise, updated_at) VALUES (1, 'Large', 'America/New_York', true, now());
  INSERT INTO provider_group (organization_id, id, name, updated_at) SELECT 1, g, 'Group', now() FROM generate_series(1, ${PATIENTS / EACH}) g;
  INSERT INTO office (organization_id, id, provider_group_id, name, time_zone, updated_at)
  SELECT 1, g, g, 'Office', 'America/New_York', now() FROM generate_series(1, ${PATIENTS / EACH}) g;
  INSERT INTO patient (organization_id, id, last_name, birth_date, enterprise_id, primary_office_id, employer_id, updated_at)
  SELECT 1, n, 'Example', date '1940-01-01' + n, CASE WHEN n % 2 = 0 THEN n - 1 END, n / ${EACH} + 1, n % 2000 + 1, now() FROM generate_series(1, ${PATIENTS}) n;
  INSERT INTO patient_name_key (organization_id, patient_id, ordinal, last_key, first_key, shared_length)
  SELECT 1, n, 1, 'example', 'name' || n, 0 FROM generate_series(1, ${PATIENTS}) n;
  INSERT INTO provider (organization_id, id, first_name, last_name, updated_at) SELECT 1, n, 'Ann', 'Example', now() FROM generate_series(1, 2000) n;
  INSERT INTO location (organization_id, id, name, updated_at) SELECT 1, n, 'Room', now() FROM generate_series(1, 2000) n;
  INSERT INTO opt_out (organization_id, number, opted_out, keyword, source)
  SELECT 1, '+1919' || 2000000 + n, true, 'STOP', 'text' FROM generate_series(1, 2000) n;
  INSERT INTO patient_registration (organization_id, patient_id, office_id, provider_group_id, registered_on, updated_at)
  SELECT 1, n, n / ${EACH} + 1, n / ${EACH} + 1, now(), now() FROM generate_series(1, ${PATIENTS - EACH}) n;
  INSERT INTO balance (organization_id, patient_id, provider_group_id, amount, updated_at)
  SELECT 1, n, n / ${EACH} + 1, 1, now() FROM generate_series(1, ${PATIENTS - EACH}) n;
  INSERT INTO balance_contract (organization_id, patient_id, provider_group_id, contract_class, max_amount, available_amount)
  SELECT 1, n, n / ${EACH} + 1, 'ONEYEAR', 1, 1 FROM generate_series(1, ${PATIENTS - EACH}) n;
  INSERT INTO claim (organization_id, patient_id, provider_group_id, service_date, charge_amount, outstanding_patient)
  SELECT 1, n, n / ${EACH} + 1, '2026-01-05', 1, n % 2 FROM generate_series(1, ${PATIENTS - EACH}) n, generate_series(1, 2);
  INSERT INTO custom_field (organization_id, id, name) SELECT 1, n, 'Field ' || n FROM generate_series(1, 2000) n;
  INSERT INTO patient_custom_field (organization_id, patient_id, custom_field_id, value)
  SELECT 1, n, n % 2000 + 1, 'x' FROM generate_series(1, ${PATIENTS}) n;
  INSERT INTO insurance (organization_id, patient_id, sequence_number, updated_at) SELECT 1, n, s, now() FROM generate_series(1, ${PATIENTS}) n, generate_series(1, 2) s;
  INSERT INTO insurance_package (organization_id, number, plan_name, updated_at)
  SELECT o, n, 'Plan', now() FROM generate_series(1, 1000) o, generate_series(1, 20) n;
  INSERT INTO portal_account (organization_id, patient_id, holder, updated_at)
  SELECT 1, n, h, now() FROM generate_series(1, ${PATIENTS}) n, unnest(enum_range(NULL::portal_holder)) h;
  INSERT INTO privacy_restriction (organization_id, patient_id, kind) SELECT 1, n, 'portal' FROM generate_series(1, ${PATIENTS}) n;
  INSERT INTO privacy_item (organization_id, patient_id, kind, verified) SELECT 1, n, 'notice', true FROM generate_series(1, ${PATIENTS}) n;
  INSERT INTO employer (organization_id, id, name, updated_at) SELECT 1, n, 'Employer', now() FROM generate_series(1, 2000) n;
  INSERT INTO appointment (organization_id, patient_id, starts_at, ends_at, local_start, time_zone, duration_minutes, updated_at)
  SELECT 1, n, now() - interval '1 day' * d, now() - interval '1 day' * d + interval '30 minutes',
         (now() - interval '1 day' * d) AT TIME ZONE 'America/New_York', 'America/New_York', 30, now() FROM generate_series(1, ${PATIENTS}) n, generate_series(1, 2) d;
  INSERT INTO idempotency_record (organization_id, caller, key, fingerprint, status, headers, body, audits, expires_at)
  SELECT 1, 'test', 'key ' || n, '', 200, '{}', '', '[]', now() FROM generate_series(1, ${PATIENTS}) n;
  SET session_replication_role = origin;
  ANALYZE`;

const client = await openFilledDatabase(FILL);

/** Of all fields: the other statements that this process may make are few, and other tests in it may have taken all. */
const [CHANGE, INSERT] = [findChangeStatement(FIELDS).write, writes.findInsert(FIELDS).write];
const CHART = { ...NO_FIELDS, email: 'other@example.com', primaryOfficeId: 472 };
const ALL_FIELDS = FIELDS.map((field) => CHART[field])
  .map((value) => (Array.isArray(value) ? "'{}'" : typeof value === 'string' ? `'${value}'` : String(value)))
  .join(', ');

const PERSON = "1, 'Name4711', 'Example', '1980-01-01', '12201', 'anna@example.com', ARRAY['+15185550100']";

const STATEMENTS = [
  { statement: sections.PATIENT_WITH_RESTRICTION, values: "1, 4711, '2026-11-01'" },
  { statement: PATIENT_RECORDS_BY_IDS, values: "1, '{4711,4712,4713}', '2026-11-01'" },
  { statement: sections.PATIENT_REGISTRATIONS, values: '1, 4711' },
  { statement: sections.PATIENT_BALANCES, values: '1, 4711' },
  { statement: sections.PATIENT_CLAIMS, values: '1, 4711, true' },
  { statement: sections.PATIENT_CUSTOM_FIELDS, values: '1, 4711' },
  { statement: sections.PATIENT_INSURANCES, values: '1, 4711, true' },
  { statement: sections.INSURANCE_PACKAGES, values: "1, 'ever'" },
  { statement: sections.PATIENT_PORTAL, values: '1, 4711' },
  { statement: sections.LOCAL_PATIENT_IDS, values: '1, 4711, false' },
  { statement: sections.PATIENT_SSN, values: '1, 4711' },
  { statement: sections.CHART_IN_DEPARTMENT, values: '1, 4711, 472, false' },
  { statement: writes.REGISTRATION_CONTEXT, values: "1, 472, 1, 1, 'MRN-4711', '+15185550100', 7, 8" },
  { statement: LOCK_PATIENT, values: "1, 4711, 472, 1, 1, 'MRN-4711', false, '+15185550100', 7, 8" },
  { statement: CHANGE, values: `1, 4711, ${ALL_FIELDS}` },
  { statement: INSERT, values: `1, ${PATIENTS + 1}, ${ALL_FIELDS}` },
  { statement: writes.REGISTER_AT_OFFICE, values: "1, 4711, 472, '2026-01-02'" },
  { statement: SAME_PERSON, values: PERSON },
  { statement: POSSIBLE_MATCHES, values: `${PERSON}, '{}', false, 5` },
];

describe.each(PLAN_MODES)('with a %s plan', (mode) => {
  it.each(STATEMENTS)('$statement.name reads by index what it needs, and little else', async ({ statement, values }) => {
    const steps = await explain(client, statement, values, { mode });
    expect(fullyRead(steps).filter((table) => table !== 'organization')).toEqual([]);
    expect(Math.max(...steps.map(rowsTouched))).toBeLessThan(50);
  });
});

it('has a plan for every statement of the sections, for records of a list, and for those of a registration and a change that look for rows', () => {
  const { REGISTRATION_CONTEXT, REGISTER_AT_OFFICE } = writes;
  const looking = [REGISTRATION_CONTEXT, SAME_PERSON, POSSIBLE_MATCHES];
  const writing = [...looking, LOCK_PATIENT, CHANGE, INSERT, REGISTER_AT_OFFICE];
  const all = [...Object.values(sections), PATIENT_RECORDS_BY_IDS, ...writing].map(({ name }) => name);
  expect(STATEMENTS.map(({ statement }) => statement.name).toSorted()).toEqual(all.toSorted());
});

import { drawnName } from './names.ts';
import { IDS, OFFICES, PROVIDERS, type PracticePlan, type Step } from './practices.ts';

const draw = (what: number) => `pg_temp.u(i, ${what})`;
const drawOne = (what: number, options: readonly string[]) =>
  `pg_temp.one_of(i, ${what}, ARRAY[${options.map((option) => `'${option.replaceAll("'", "''")}'`).join(', ')}])`;
const first = (what: number) => drawnName('bench_first_name', draw(what));
const last = (what: number) => drawnName('bench_last_name', draw(what));
const phone = (what: number) => `'+1' || (2012000000 + (${draw(what)} * 7900000000)::bigint)`;
const day = (what: number, from: string, days: number) => `(date '${from}' + (${draw(what)} * ${days})::int)`;

const STREETS = ['Maple Avenue', 'Oak Street', 'Washington Street', 'Main Street', 'Park Place', 'Elm Street', 'Lake Road', 'Hill Road'];
const CITIES = ['Albany', 'Rochester', 'Buffalo', 'Syracuse', 'Yonkers', 'White Plains', 'Ithaca', 'Utica', 'Saratoga Springs', 'Kingston'];
const RELATIONS = ['SPOUSE', 'PARENT', 'CHILD', 'SIBLING', 'FRIEND', 'OTHER'];
const RACES = ['2106-3', '2106-3', '2106-3', '2106-3', '2054-5', '2028-9', '1002-5', '2131-1'];
const street = (what: number) => `1 + (${draw(what)} * 999)::int || ' ' || ${drawOne(what + 1, STREETS)}`;

/** One in eight last names is two of them; the share of those with a space is that of the list. */
const LAST_NAME = `CASE WHEN ${draw(2)} < 0.92 THEN ${last(3)} WHEN ${draw(2)} < 0.97 THEN ${last(3)} || '-' || ${last(4)} ELSE ${last(3)} || ' ' || ${last(4)} END`;

/** Columns that every chart has. */
const ALWAYS: Record<string, string> = {
  status: `(CASE WHEN ${draw(5)} < 0.9 THEN 'active' WHEN ${draw(5)} < 0.96 THEN 'inactive' WHEN ${draw(5)} < 0.99 THEN 'prospective' ELSE 'deleted' END)::patient_status`,
  first_name: first(6),
  last_name: LAST_NAME,
  sex: drawOne(7, ['F', 'M']),
  birth_date: day(8, '1934-01-01', 32_000),
  registration_date: day(9, '2012-01-01', 5_000),
  marital_status: drawOne(10, ['M', 'M', 'M', 'S', 'S', 'D', 'W', 'P', 'U']),
  races: `ARRAY[${drawOne(11, RACES)}]`,
  address1: street(12),
  city: drawOne(14, CITIES),
  state: `'NY'`,
  zip: `(10000 + (${draw(15)} * 4900)::int)::text`,
  country_code: `'USA'`,
  country_code_3166: `'US'`,
  mobile_phone: phone(16),
  do_not_call: `${draw(17)} < 0.03`,
  do_not_sms: `${draw(18)} < 0.05`,
  homebound: `${draw(19)} < 0.02`,
};

/** Columns that some charts have; a complete chart has more of them. */
const SOMETIMES: Record<string, string> = {
  medical_record_no: `'MRN' || i`,
  middle_name: first(20),
  suffix: drawOne(21, ['Jr.', 'Sr.', 'II', 'III']),
  preferred_name: first(22),
  alt_first_name: first(23),
  preferred_pronouns: drawOne(24, ['she/her', 'he/him', 'they/them']),
  assigned_sex_at_birth: drawOne(7, ['F', 'M']),
  gender_identity: drawOne(7, ['Female', 'Male']),
  sexual_orientation: drawOne(25, ['Straight (not lesbian or gay)', 'Bisexual', 'Choose not to disclose']),
  ethnicity_code: drawOne(26, ['2186-5', '2135-2', 'declined']),
  language_code: drawOne(27, ['eng', 'eng', 'eng', 'spa', 'zho', 'fra']),
  ssn_hash: `sha256(i::text::bytea)`,
  ssn_last_four: `lpad((${draw(28)} * 9999)::int::text, 4, '0')`,
  address2: `'Apt ' || 1 + (${draw(29)} * 200)::int`,
  home_phone: phone(30),
  work_phone: phone(31),
  email: `'patient' || i || '@mail.example'`,
  contact_preference: drawOne(32, ['HOMEPHONE', 'MOBILEPHONE', 'MAIL', 'PORTAL']),
  contact_name: `${first(33)} || ' ' || ${last(34)}`,
  contact_relationship: drawOne(35, RELATIONS),
  contact_home_phone: phone(36),
  contact_mobile_phone: phone(37),
  next_of_kin_name: `${first(38)} || ' ' || ${last(39)}`,
  next_of_kin_relationship: drawOne(40, RELATIONS),
  next_of_kin_phone: phone(41),
  guardian_first_name: first(42),
  guardian_last_name: last(43),
  guarantor_first_name: first(44),
  guarantor_middle_name: first(45),
  guarantor_last_name: last(46),
  guarantor_address_same_as_patient: `${draw(47)} < 0.8`,
  guarantor_address1: elsewhere(street(48)),
  guarantor_city: elsewhere(drawOne(50, CITIES)),
  guarantor_state: elsewhere(`'NY'`),
  guarantor_zip: elsewhere(`(10000 + (${draw(51)} * 4900)::int)::text`),
  guarantor_country_code: elsewhere(`'USA'`),
  guarantor_country_code_3166: elsewhere(`'US'`),
  guarantor_birth_date: day(52, '1940-01-01', 22_000),
  guarantor_ssn_last_four: `lpad((${draw(53)} * 9999)::int::text, 4, '0')`,
  guarantor_email: `'guarantor' || i || '@mail.example'`,
  guarantor_phone: phone(54),
  guarantor_relationship_to_patient: drawOne(55, ['1', '2', '3', '4']),
  guarantor_employer_id: `c.base + 1 + (${draw(56)} * 499)::int`,
  employer_id: `c.base + 1 + (${draw(57)} * 499)::int`,
  employer_phone: phone(58),
  industry_code: `(1000 + (${draw(59)} * 8000)::int)::text`,
  occupation_code: `(1000 + (${draw(60)} * 8000)::int)::text`,
  location_id: `c.base + 1 + (${draw(61)} * 47)::int`,
  portal_terms_on_file: `${draw(62)} < 0.7`,
  portal_signature_on_file: `${draw(63)} < 0.7`,
  portal_access_given: `${draw(64)} < 0.7`,
  medication_history_consent_verified: `${draw(65)} < 0.8`,
  time_zone: drawOne(66, ['America/New_York', 'America/Chicago']),
};

/** The address of a guarantor who does not live with the patient; the patient's own is not stored twice. */
function elsewhere(value: string): string {
  return `CASE WHEN ${draw(47)} >= 0.8 THEN ${value} END`;
}

function sometimes(value: string, position: number): string {
  return `CASE WHEN ${draw(200 + position)} < c.kept THEN ${value} END`;
}

/** The filled columns of a chart, without its key. */
export const CHART_COLUMNS = ['primary_office_id', 'primary_provider_id', 'updated_at', ...Object.keys(ALWAYS), ...Object.keys(SOMETIMES)];

/** Charts with 25 to 60 fields of theirs filled in; half of them fewer than 40. `OFFSET 0` draws once what many columns ask. */
function patientStep({ organizationId, before, drawn }: PracticePlan): Step {
  const values = [...Object.values(ALWAYS), ...Object.values(SOMETIMES).map(sometimes)];
  return {
    title: 'patients',
    rows: drawn,
    text: `
      INSERT INTO patient (organization_id, id, ${CHART_COLUMNS.join(', ')})
      SELECT ${organizationId}, i, c.base + 1 + (${draw(68)} * ${OFFICES - 1})::int, c.base + 1 + (${draw(69)} * ${PROVIDERS - 1})::int,
             timestamptz '2026-01-01' + i * interval '1 second', ${values.join(',\n             ')}
        FROM (SELECT n + ${before} AS i FROM generate_series($1::int, $2::int) AS n) AS series
       CROSS JOIN LATERAL (SELECT 0.12 + 0.6 * ${draw(1)} AS kept, ${(organizationId - 1) * IDS} AS base OFFSET 0) AS c`,
  };
}

/** The charts of a part that have a given feature. */
const some = ({ organizationId, before }: PracticePlan, share: number, what: number) =>
  `FROM patient p CROSS JOIN LATERAL (SELECT p.id AS i) AS x
   WHERE p.organization_id = ${organizationId} AND p.id BETWEEN $1::int + ${before} AND $2::int + ${before} AND ${draw(what)} < ${share}`;

/** Registrations, insurances and balances of a practice's patients, drawn from their ids. */
function besideCharts(plan: PracticePlan): Step[] {
  const { organizationId, drawn } = plan;
  return [
    {
      title: 'registrations',
      text: `INSERT INTO patient_registration (organization_id, patient_id, office_id, provider_group_id, primary_provider_id, registered_on, updated_at)
             SELECT p.organization_id, p.id, p.primary_office_id, ${(organizationId - 1) * IDS} + 1 + p.primary_office_id % 4, p.primary_provider_id, p.registration_date, now() ${some(plan, 1, 70)}`,
    },
    {
      title: 'insurances',
      text: `INSERT INTO insurance (organization_id, patient_id, sequence_number, insurance_package_id, id_number, plan_name, type, irc_name, updated_at)
             SELECT p.organization_id, p.id, 1, 2014, 'W' || p.id, 'Evergreen PPO', 'Commercial', 'Evergreen Mutual', now() ${some(plan, 0.7, 71)}`,
    },
    {
      title: 'balances',
      text: `INSERT INTO balance (organization_id, patient_id, provider_group_id, amount, updated_at)
             SELECT p.organization_id, p.id, ${(organizationId - 1) * IDS} + 1 + p.primary_office_id % 4, ((${draw(76)} * 30000)::int / 100.0), now() ${some(plan, 0.5, 77)}`,
    },
  ].map((step) => ({ ...step, rows: drawn }));
}

/** Rows that charts show or are found by. */
function aroundCharts(plan: PracticePlan): Step[] {
  const { organizationId, before, drawn } = plan;
  return [
    {
      title: 'privacy forms',
      text: `INSERT INTO privacy_item (organization_id, patient_id, kind, verified, verified_on, expires_on)
             SELECT p.organization_id, p.id, kind, ${draw(72)} < 0.9, date '2026-01-05', CASE WHEN ${draw(73)} < 0.2 THEN date '2027-01-05' END
               FROM patient p CROSS JOIN LATERAL (SELECT p.id AS i) AS x CROSS JOIN unnest(ARRAY['notice', 'release', 'assignment']) AS kind
              WHERE p.organization_id = ${organizationId} AND p.id BETWEEN $1::int + ${before} AND $2::int + ${before} AND ${draw(74)} < 0.5`,
    },
    {
      title: 'portal accounts',
      text: `INSERT INTO portal_account (organization_id, patient_id, holder, registered_at, updated_at)
             SELECT p.organization_id, p.id, 'PATIENT', timestamptz '2026-01-01', now() ${some(plan, 0.4, 75)}`,
    },
    {
      title: 'restrictions',
      text: `INSERT INTO privacy_restriction (organization_id, patient_id, kind)
             SELECT p.organization_id, p.id, (CASE WHEN ${draw(78)} < 0.5 THEN 'record' ELSE 'portal' END)::restriction_kind ${some(plan, 0.004, 79)}`,
    },
    {
      title: 'restricted charts',
      text: `UPDATE patient p SET restricted = true FROM privacy_restriction r
              WHERE p.organization_id = ${organizationId} AND p.id BETWEEN $1::int + ${before} AND $2::int + ${before}
                AND r.organization_id = p.organization_id AND r.patient_id = p.id AND r.kind = 'record'`,
    },
    {
      title: 'name keys',
      text: `INSERT INTO patient_name_key (organization_id, patient_id, ordinal, last_key, first_key, office_id, shared_length)
             SELECT p.organization_id, p.id, k.ordinal, k.last_key, coalesce(p.first_name_folded, ''), p.primary_office_id, k.shared_length
               FROM patient p CROSS JOIN LATERAL name_keys(coalesce(p.last_name_folded, '')) k
              WHERE p.organization_id = ${organizationId} AND p.id BETWEEN $1::int + ${before} AND $2::int + ${before}
                AND p.status <> 'deleted' AND NOT p.restricted`,
    },
  ].map((step) => ({ ...step, rows: drawn }));
}

export const patientSteps = (plan: PracticePlan): Step[] => [
  patientStep(plan),
  ...(plan.chartsOnly ? [] : besideCharts(plan)),
  ...aroundCharts(plan),
];

/** Tables whose indexes are created at the end; restrictions keep theirs, because listing a chart reads them. */
export const PATIENT_TABLES = [
  'patient',
  'patient_registration',
  'insurance',
  'privacy_item',
  'portal_account',
  'balance',
  'patient_name_key',
];

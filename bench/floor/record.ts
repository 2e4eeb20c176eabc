import { findRace } from '../../src/domain/code-sets/races.ts';

/**
 * The patient record in the words of the practice document. Days and telephone numbers leave PostgreSQL as they are and
 * are cut to shape here: `to_char` and a regular expression for each cost more than the rest of the row.
 */
const day = (column: string) => `${column}::text`;
const digits = (column: string) => column;
const masked = (column: string) => `'*****' || ${column}`;
const known = (column: string, declined: string) => `CASE WHEN ${column} IS NOT NULL THEN true WHEN ${declined} THEN false END`;

/** The first or last visit, by the clocks of its office; cancelled appointments and no-shows do not count. */
const visit = (order: 'ASC' | 'DESC', before: string) => `
  (SELECT a.local_start::text FROM appointment a
    WHERE a.organization_id = p.organization_id AND a.patient_id = p.id AND a.starts_at IS NOT NULL AND a.status NOT IN ('cancelled', 'no_show')${before}
    ORDER BY a.starts_at ${order} LIMIT 1)`;

const FIELDS: Record<string, string> = {
  patientid: 'p.id::text',
  firstname: 'p.first_name',
  middlename: 'p.middle_name',
  lastname: 'p.last_name',
  suffix: 'p.suffix',
  preferredname: 'p.preferred_name',
  altfirstname: 'p.alt_first_name',
  preferredpronouns: 'p.preferred_pronouns',
  sex: 'p.sex',
  assignedsexatbirth: 'p.assigned_sex_at_birth',
  genderidentity: 'p.gender_identity',
  genderidentityother: 'p.gender_identity_other',
  sexualorientation: 'p.sexual_orientation',
  sexualorientationother: 'p.sexual_orientation_other',
  dob: day('p.birth_date'),
  deceaseddate: day('p.deceased_date'),
  registrationdate: day('p.registration_date'),
  lastupdated: `to_char(p.updated_at AT TIME ZONE 'America/New_York', 'MM/DD/YYYY')`,
  maritalstatus: 'p.marital_status',
  maritalstatusname: `CASE p.marital_status WHEN 'D' THEN 'Divorced' WHEN 'M' THEN 'Married' WHEN 'S' THEN 'Single' WHEN 'U' THEN 'Unknown'
                           WHEN 'W' THEN 'Widowed' WHEN 'X' THEN 'Separated' WHEN 'P' THEN 'Partner' END`,
  race: `nullif(array_to_string(p.races, E'\\t'), '')`,
  ethnicitycode: 'p.ethnicity_code',
  language6392code: 'p.language_code',
  ssn: masked('p.ssn_last_four'),
  address1: 'p.address1',
  address2: 'p.address2',
  city: 'p.city',
  state: 'p.state',
  zip: 'p.zip',
  countrycode: 'p.country_code',
  countrycode3166: 'p.country_code_3166',
  homephone: digits('p.home_phone'),
  mobilephone: digits('p.mobile_phone'),
  workphone: digits('p.work_phone'),
  email: `CASE WHEN p.email IS NULL AND p.email_declined THEN 'declined' ELSE p.email END`,
  lastemail: 'p.last_email',
  emailexistsyn: known('p.email', 'p.email_declined'),
  emailexists: known('p.email', 'p.email_declined'),
  hasmobileyn: known('p.mobile_phone', 'p.mobile_phone_declined'),
  hasmobile: known('p.mobile_phone', 'p.mobile_phone_declined'),
  contactpreference: 'p.contact_preference',
  donotcallyn: 'p.do_not_call',
  donotcall: 'p.do_not_call',
  consenttotext: 'NOT (p.do_not_sms OR p.texts_stopped)',
  homeboundyn: 'p.homebound',
  homebound: 'p.homebound',
  contactname: 'p.contact_name',
  contactrelationship: 'p.contact_relationship',
  contacthomephone: digits('p.contact_home_phone'),
  contactmobilephone: digits('p.contact_mobile_phone'),
  nextkinname: 'p.next_of_kin_name',
  nextkinrelationship: 'p.next_of_kin_relationship',
  nextkinphone: digits('p.next_of_kin_phone'),
  guardianfirstname: 'p.guardian_first_name',
  guardianmiddlename: 'p.guardian_middle_name',
  guardianlastname: 'p.guardian_last_name',
  guardiansuffix: 'p.guardian_suffix',
  guarantorfirstname: 'p.guarantor_first_name',
  guarantormiddlename: 'p.guarantor_middle_name',
  guarantorlastname: 'p.guarantor_last_name',
  guarantorsuffix: 'p.guarantor_suffix',
  guarantoraddresssameaspatient: 'p.guarantor_address_same_as_patient::text',
  guarantoraddress1: 'CASE WHEN p.guarantor_address_same_as_patient THEN p.address1 ELSE p.guarantor_address1 END',
  guarantoraddress2: 'CASE WHEN p.guarantor_address_same_as_patient THEN p.address2 ELSE p.guarantor_address2 END',
  guarantorcity: 'CASE WHEN p.guarantor_address_same_as_patient THEN p.city ELSE p.guarantor_city END',
  guarantorstate: 'CASE WHEN p.guarantor_address_same_as_patient THEN p.state ELSE p.guarantor_state END',
  guarantorzip: 'CASE WHEN p.guarantor_address_same_as_patient THEN p.zip ELSE p.guarantor_zip END',
  guarantorcountrycode: 'CASE WHEN p.guarantor_address_same_as_patient THEN p.country_code ELSE p.guarantor_country_code END',
  guarantorcountrycode3166: 'CASE WHEN p.guarantor_address_same_as_patient THEN p.country_code_3166 ELSE p.guarantor_country_code_3166 END',
  guarantordob: day('p.guarantor_birth_date'),
  guarantorssn: masked('p.guarantor_ssn_last_four'),
  guarantoremail: 'p.guarantor_email',
  guarantorphone: digits('p.guarantor_phone'),
  guarantorrelationshiptopatient: 'p.guarantor_relationship_to_patient',
  guarantoremployerid: 'p.guarantor_employer_id',
  employerid: 'p.employer_id',
  employername: 'e.name',
  employeraddress: 'e.address',
  employercity: 'e.city',
  employerphone: digits('coalesce(p.employer_phone, e.phone)'),
  industrycode: 'p.industry_code::int',
  occupationcode: 'p.occupation_code::int',
  departmentid: 'p.primary_office_id::text',
  primarydepartmentid: 'p.primary_office_id::text',
  primaryproviderid: 'p.primary_provider_id::text',
  portaltermsonfile: 'p.portal_terms_on_file::text',
  portalsignatureonfile: 'p.portal_signature_on_file',
  portalaccessgiven: `coalesce(p.portal_access_given, EXISTS (SELECT 1 FROM portal_account x WHERE x.organization_id = p.organization_id AND x.patient_id = p.id AND x.holder = 'PATIENT'))::text`,
  medicationhistoryconsentverified: 'CASE WHEN g.has_medication_history THEN coalesce(p.medication_history_consent_verified, false) END',
  privacyinformationverified: `coalesce((SELECT bool_and(i.verified AND (i.expires_on IS NULL OR i.expires_on >= g.today))
                                  FROM privacy_item i WHERE i.organization_id = p.organization_id AND i.patient_id = p.id), false)::text`,
  status: 'p.status',
  firstappointment: visit('ASC', ''),
  lastappointment: visit('DESC', ' AND a.starts_at < g.midnight'),
};

export const RECORD = Object.entries(FIELDS)
  .map(([name, text]) => `${text} AS ${name}`)
  .join(',\n             ');

/** Values that are the same for all rows are computed once. */
export const PRACTICE = `
      practice AS MATERIALIZED (SELECT time_zone, has_medication_history, (now() AT TIME ZONE time_zone)::date AS today,
                                       date_trunc('day', now() AT TIME ZONE time_zone) AT TIME ZONE time_zone AS midnight
                                  FROM organization WHERE id = $1)`;

export const RECORD_JOINS = `
        CROSS JOIN practice g
        LEFT JOIN employer e ON e.organization_id = p.organization_id AND e.id = p.employer_id`;

const PHONES = Object.keys(FIELDS).filter((name) => name.endsWith('phone'));
const DAYS = ['dob', 'deceaseddate', 'registrationdate', 'guarantordob'];
const TIMES = ['firstappointment', 'lastappointment'];
const SAID_WITH_NULL = new Set(['emailexistsyn', 'emailexists', 'hasmobileyn', 'hasmobile', 'medicationhistoryconsentverified']);

export type Row = Record<string, unknown> & { race?: unknown };

/** Fields left out of the JSON are undefined; for some fields null means unknown. */
export function finish(rows: Row[]): Row[] {
  for (const row of rows) {
    for (const name of PHONES) {
      const phone = row[name];
      if (typeof phone === 'string' && phone.startsWith('+1') && phone.length === 12) row[name] = phone.slice(2);
    }
    for (const name of DAYS) {
      const text = row[name];
      if (typeof text === 'string') row[name] = usDay(text);
    }
    for (const name of TIMES) {
      const text = row[name];
      if (typeof text === 'string') row[name] = `${usDay(text)} ${text.slice(11, 16)}`;
    }
    for (const name in row) if (row[name] === null && !SAID_WITH_NULL.has(name)) row[name] = undefined;
    if (typeof row.race === 'string') addRace(row, row.race.split('\t'));
  }
  return rows;
}

const usDay = (text: string) => `${text.slice(5, 7)}/${text.slice(8, 10)}/${text.slice(0, 4)}`;

function addRace(row: Row, codes: string[]): void {
  const primary = findRace(codes[0] ?? '');
  row.race = codes;
  row.racename = primary?.name;
  row.racecode = primary?.hierarchicalCode;
}

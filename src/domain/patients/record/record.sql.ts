import { type Columns, selectFields } from '../../../database/statements/columns.ts';
import { type Statement, selectInstant, statement } from '../../../database/statements/statement.ts';
import { activeAppointment } from '../../values/appointment-status.ts';
import { selectToday } from '../../values/time/own-today.sql.ts';
import { wantsNoTexts } from '../consent.sql.ts';

/** The whole record of one patient, with what is derived for it; days and times are written by the database. */
export interface PatientRecord {
  id: number;
  status: 'active' | 'inactive' | 'prospective' | 'deleted';
  firstName: string | null;
  middleName: string | null;
  lastName: string | null;
  suffix: string | null;
  preferredName: string | null;
  altFirstName: string | null;
  preferredPronouns: string | null;
  sex: string | null;
  assignedSexAtBirth: string | null;
  genderIdentity: string | null;
  genderIdentityOther: string | null;
  sexualOrientation: string | null;
  sexualOrientationOther: string | null;
  /** Days are `YYYY-MM-DD`. */
  birthDate: string | null;
  deceasedDate: string | null;
  registrationDate: string | null;
  maritalStatus: string | null;
  /** v3-Race codes with tabs between them, the first is primary; or `declined`. Empty when none is known. */
  races: string;
  ethnicityCode: string | null;
  languageCode: string | null;
  ssnLastFour: string | null;
  address1: string | null;
  address2: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
  countryCode: string | null;
  countryCode3166: string | null;
  /** E.164, as every number here. */
  homePhone: string | null;
  mobilePhone: string | null;
  mobilePhoneDeclined: boolean;
  workPhone: string | null;
  email: string | null;
  emailDeclined: boolean;
  /** The previous address, where it was removed. */
  lastEmail: string | null;
  contactPreference: string | null;
  doNotCall: boolean;
  /** Also where the mobile number sent STOP. */
  doNotSms: boolean;
  homebound: boolean;
  contactName: string | null;
  contactRelationship: string | null;
  contactHomePhone: string | null;
  contactMobilePhone: string | null;
  nextOfKinName: string | null;
  nextOfKinRelationship: string | null;
  nextOfKinPhone: string | null;
  guardianFirstName: string | null;
  guardianMiddleName: string | null;
  guardianLastName: string | null;
  guardianSuffix: string | null;
  guarantorFirstName: string | null;
  guarantorMiddleName: string | null;
  guarantorLastName: string | null;
  guarantorSuffix: string | null;
  guarantorAddressSameAsPatient: boolean | null;
  guarantorAddress1: string | null;
  guarantorAddress2: string | null;
  guarantorCity: string | null;
  guarantorState: string | null;
  guarantorZip: string | null;
  guarantorCountryCode: string | null;
  guarantorCountryCode3166: string | null;
  guarantorBirthDate: string | null;
  guarantorSsnLastFour: string | null;
  guarantorEmail: string | null;
  guarantorPhone: string | null;
  guarantorRelationshipToPatient: string | null;
  guarantorEmployerId: number | null;
  employerId: number | null;
  /** The patient's own, else the employer's. */
  employerPhone: string | null;
  employerName: string | null;
  employerAddress: string | null;
  employerCity: string | null;
  industryCode: string | null;
  occupationCode: string | null;
  primaryOfficeId: number | null;
  primaryProviderId: number | null;
  portalTermsOnFile: boolean | null;
  portalSignatureOnFile: boolean | null;
  /** As an operator set it, else whether the patient has a portal account. */
  portalAccessGiven: boolean;
  /** Null when the practice lacks the medication-history feature. */
  medicationHistoryConsentVerified: boolean | null;
  /** There are privacy forms, and each is verified and has not expired. */
  privacyInformationVerified: boolean;
  /** Local time in the appointment's own zone, `YYYY-MM-DD HH:MM:SS`; of the appointments that count. */
  firstAppointment: string | null;
  /** The last one before today in its zone. */
  lastAppointment: string | null;
  /** An instant, `2026-03-08T14:30:00Z`. */
  updatedAt: string;
}

/** Before today in the zone of the appointment; the first condition follows from the second, and has an index. */
const BEFORE_TODAY = `a.starts_at < now() AND a.local_start < ${selectToday('a')}`;

/** Expression of each field: `p` is the patient, `e` the employer, `g` the practice. */
const PATIENT_COLUMNS: Columns<PatientRecord> = {
  id: 'p.id',
  status: 'p.status',
  firstName: 'p.first_name',
  middleName: 'p.middle_name',
  lastName: 'p.last_name',
  suffix: 'p.suffix',
  preferredName: 'p.preferred_name',
  altFirstName: 'p.alt_first_name',
  preferredPronouns: 'p.preferred_pronouns',
  sex: 'p.sex',
  assignedSexAtBirth: 'p.assigned_sex_at_birth',
  genderIdentity: 'p.gender_identity',
  genderIdentityOther: 'p.gender_identity_other',
  sexualOrientation: 'p.sexual_orientation',
  sexualOrientationOther: 'p.sexual_orientation_other',
  birthDate: 'p.birth_date::text',
  deceasedDate: 'p.deceased_date::text',
  registrationDate: 'p.registration_date::text',
  maritalStatus: 'p.marital_status',
  races: "array_to_string(p.races, E'\\t')",
  ethnicityCode: 'p.ethnicity_code',
  languageCode: 'p.language_code',
  ssnLastFour: 'p.ssn_last_four',
  address1: 'p.address1',
  address2: 'p.address2',
  city: 'p.city',
  state: 'p.state',
  zip: 'p.zip',
  countryCode: 'p.country_code',
  countryCode3166: 'p.country_code_3166',
  homePhone: 'p.home_phone',
  mobilePhone: 'p.mobile_phone',
  mobilePhoneDeclined: 'p.mobile_phone_declined',
  workPhone: 'p.work_phone',
  email: 'p.email',
  emailDeclined: 'p.email_declined',
  lastEmail: 'p.last_email',
  contactPreference: 'p.contact_preference',
  doNotCall: 'p.do_not_call',
  doNotSms: wantsNoTexts('p'),
  homebound: 'p.homebound',
  contactName: 'p.contact_name',
  contactRelationship: 'p.contact_relationship',
  contactHomePhone: 'p.contact_home_phone',
  contactMobilePhone: 'p.contact_mobile_phone',
  nextOfKinName: 'p.next_of_kin_name',
  nextOfKinRelationship: 'p.next_of_kin_relationship',
  nextOfKinPhone: 'p.next_of_kin_phone',
  guardianFirstName: 'p.guardian_first_name',
  guardianMiddleName: 'p.guardian_middle_name',
  guardianLastName: 'p.guardian_last_name',
  guardianSuffix: 'p.guardian_suffix',
  guarantorFirstName: 'p.guarantor_first_name',
  guarantorMiddleName: 'p.guarantor_middle_name',
  guarantorLastName: 'p.guarantor_last_name',
  guarantorSuffix: 'p.guarantor_suffix',
  guarantorAddressSameAsPatient: 'p.guarantor_address_same_as_patient',
  guarantorAddress1: guarantors('address1'),
  guarantorAddress2: guarantors('address2'),
  guarantorCity: guarantors('city'),
  guarantorState: guarantors('state'),
  guarantorZip: guarantors('zip'),
  guarantorCountryCode: guarantors('country_code'),
  guarantorCountryCode3166: guarantors('country_code_3166'),
  guarantorBirthDate: 'p.guarantor_birth_date::text',
  guarantorSsnLastFour: 'p.guarantor_ssn_last_four',
  guarantorEmail: 'p.guarantor_email',
  guarantorPhone: 'p.guarantor_phone',
  guarantorRelationshipToPatient: 'p.guarantor_relationship_to_patient',
  guarantorEmployerId: 'p.guarantor_employer_id',
  employerId: 'p.employer_id',
  employerPhone: 'coalesce(p.employer_phone, e.phone)',
  employerName: 'e.name',
  employerAddress: 'e.address',
  employerCity: 'e.city',
  industryCode: 'p.industry_code',
  occupationCode: 'p.occupation_code',
  primaryOfficeId: 'p.primary_office_id',
  primaryProviderId: 'p.primary_provider_id',
  portalTermsOnFile: 'p.portal_terms_on_file',
  portalSignatureOnFile: 'p.portal_signature_on_file',
  portalAccessGiven: `coalesce(p.portal_access_given, EXISTS (
    SELECT FROM portal_account a WHERE a.organization_id = $1 AND a.patient_id = p.id AND a.holder = 'PATIENT'))`,
  medicationHistoryConsentVerified: `CASE WHEN g.has_medication_history THEN coalesce(p.medication_history_consent_verified, false) END`,
  privacyInformationVerified: `coalesce((
    SELECT bool_and(i.verified AND (i.expires_on IS NULL OR i.expires_on >= $3::date))
      FROM privacy_item i WHERE i.organization_id = $1 AND i.patient_id = p.id), false)`,
  firstAppointment: appointment('a.starts_at IS NOT NULL', 'ASC'),
  lastAppointment: appointment(BEFORE_TODAY, 'DESC'),
  updatedAt: selectInstant('p.updated_at'),
};

/** A part of the guarantor's address, which is the patient's own while the chart says so, and is not stored then. */
function guarantors(column: string): string {
  return `CASE WHEN p.guarantor_address_same_as_patient THEN p.${column} ELSE p.guarantor_${column} END`;
}

function appointment(when: string, direction: 'ASC' | 'DESC'): string {
  return `(
    SELECT a.local_start::text FROM appointment a
     WHERE a.organization_id = $1 AND a.patient_id = p.id AND ${activeAppointment('a')} AND ${when}
     ORDER BY a.starts_at ${direction} LIMIT 1)`;
}

const PRACTICE = 'practice AS MATERIALIZED (SELECT has_medication_history FROM organization WHERE id = $1)';

/** One row, also of a deleted, a restricted or a blocked chart. Values: organization, patient, today in the practice. */
export const PATIENT_RECORD_BY_ID: Statement<PatientRecord> = statement(
  'patient_record',
  `WITH ${PRACTICE}
   SELECT ${selectFields(PATIENT_COLUMNS)}
     FROM practice g
     JOIN patient p ON p.organization_id = $1 AND p.id = $2
     LEFT JOIN employer e ON e.organization_id = $1 AND e.id = p.employer_id`,
);

/**
 * One row for each patient who is not deleted, in no order. `OFFSET 0` makes the planner look each up by its key, however
 * many there are, instead of reading the whole table. Values: organization, ids, today in the practice.
 */
export const PATIENT_RECORDS_BY_IDS: Statement<PatientRecord> = statement(
  'patient_records',
  `WITH ${PRACTICE}
   SELECT record.*
     FROM practice g
    CROSS JOIN unnest($2::int[]) AS page (id)
    CROSS JOIN LATERAL (
     SELECT ${selectFields(PATIENT_COLUMNS)}
       FROM patient p
       LEFT JOIN employer e ON e.organization_id = $1 AND e.id = p.employer_id
      WHERE p.organization_id = $1 AND p.id = page.id AND p.status <> 'deleted'
     OFFSET 0) AS record`,
);

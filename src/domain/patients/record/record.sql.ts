import { type Columns, selectFields } from '../../../database/statements/columns.ts';
import { type Statement, selectInstant, statement } from '../../../database/statements/statement.ts';
import { type ShownIn, shownIn } from '../../../records/field.ts';
import { GUARANTOR_ADDRESS, PATIENT } from '../../../records/patient.ts';
import { activeAppointment } from '../../values/appointment-status.ts';
import { selectToday } from '../../values/time/own-today.sql.ts';
import { type Field, type FieldsRow, selectField } from '../chart/chart-fields.sql.ts';
import { wantsNoTexts } from '../consent.sql.ts';

/** Fields of the chart in the record. */
type OfChart = ShownIn<typeof PATIENT, 'practice'> | (typeof DECLINED)[number];
const DECLINED = ['mobilePhoneDeclined', 'emailDeclined'] as const;

/** Fields that are shown otherwise than they are stored, or are derived. */
interface Derived {
  id: number;
  /** v3-Race codes with tabs between them, the first is primary; or `declined`. Empty when none is known. */
  races: string;
  ssnLastFour: string | null;
  /** The previous address, where it was removed. */
  lastEmail: string | null;
  /** Also where the mobile number sent STOP. */
  doNotSms: boolean;
  guarantorSsnLastFour: string | null;
  /** The patient's own, else the employer's. */
  employerPhone: string | null;
  employerName: string | null;
  employerAddress: string | null;
  employerCity: string | null;
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

/** The whole record of one patient; days and times are written by the database, and telephone numbers are E.164. */
export interface PatientRecord extends Omit<Pick<FieldsRow, OfChart>, keyof Derived>, Derived {}

/** Before today in the zone of the appointment; the first condition follows from the second, and has an index. */
const BEFORE_TODAY = `a.starts_at < now() AND a.local_start < ${selectToday('a')}`;

/** Expression of each field: `p` is the patient, `e` the employer, `g` the practice. */
const PATIENT_COLUMNS: Columns<PatientRecord> = {
  ...selectOfChart(),
  id: 'p.id',
  races: "array_to_string(p.races, E'\\t')",
  ssnLastFour: 'p.ssn_last_four',
  lastEmail: 'p.last_email',
  doNotSms: wantsNoTexts('p'),
  guarantorSsnLastFour: 'p.guarantor_ssn_last_four',
  employerPhone: 'coalesce(p.employer_phone, e.phone)',
  employerName: 'e.name',
  employerAddress: 'e.address',
  employerCity: 'e.city',
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

function selectOfChart(): Columns<Pick<FieldsRow, OfChart>>;
function selectOfChart(): Record<string, string> {
  return Object.fromEntries([...shownIn(PATIENT, 'practice'), ...DECLINED].map((field) => [field, selectShown(field)]));
}

/** A part of the guarantor's address is the patient's own while the chart says so, and is not stored then. */
function selectShown(field: Field): string {
  const [, own] = GUARANTOR_ADDRESS.find(([part]) => part === field) ?? [];
  const stored = selectField(field);
  return own === undefined ? stored : `CASE WHEN p.guarantor_address_same_as_patient THEN ${selectField(own)} ELSE ${stored} END`;
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

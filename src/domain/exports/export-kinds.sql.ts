import { selectInstant } from '../../database/statements/statement.ts';
import { columnOf, type Field, type Fields } from '../../records/field.ts';
import { INSURANCE } from '../../records/insurance.ts';
import { PATIENT } from '../../records/patient.ts';
import { wantsNoTexts } from '../patients/consent.sql.ts';
import { isOfRestricted, unrestrictedUnless } from '../patients/restrictions/restricted-charts.sql.ts';
import { APPOINTMENT_STATUSES } from '../values/appointment-status.ts';

export type ExportFilterName = 'patient' | 'office' | 'provider' | 'status' | 'time';

/**
 * A kind of record that is exported, in SQL: `t` is its row, `p` the chart that it is about, `$1` the organization and `$4` whether the caller may
 * see restricted charts.
 */
export interface ExportKind {
  /** The name of the record in events, and in the audit. */
  subject: string;
  table: string;
  /** By its name in the export: that in the field `changed` of events. */
  columns: Readonly<Record<string, string>>;
  /** Whether it exists for everybody: not that of a deleted chart. */
  listed: string;
  /** Whether it exists for the caller. */
  visible: string;
  /** Its patient's id, as far as the caller may know it; for the audit. */
  patientId: string;
  filters: Readonly<Partial<Record<ExportFilterName, string>>>;
  /** Values of the filter `status`. */
  statuses?: readonly string[];
  /** The condition on the event `e` that the record changed, where events name the record's patient instead of the record. */
  changedWithPatient?: string;
}

const toColumns = (names: string): Record<string, string> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, `t.${name}`]),
  );
const instants = (names: string): Record<string, string> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, selectInstant(`t.${name}`)]),
  );

/** Whether the caller may know the patient of the row. */
const SEEN = '(p.restricted IS NOT TRUE OR $4::boolean)';
const ifSeen = (sql: string) => `CASE WHEN ${SEEN} THEN ${sql} END`;
const OF_CHART = { listed: `p.status <> 'deleted'`, visible: unrestrictedUnless('p', '$4'), patientId: 't.patient_id' };

/** A text of a restricted or blocked patient, also an inbound one that only the number relates to them. */
const RESTRICTED_TEXT = `(p.restricted IS TRUE OR t.patient_id IS NULL AND t.direction = 'inbound' AND ${isOfRestricted('t.from_number')})`;
const ifShown = (sql: string) => `CASE WHEN $4::boolean OR NOT ${RESTRICTED_TEXT} THEN ${sql} END`;

/** Columns of a chart that no API sets, behind those before them. */
const BESIDE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  external_id: ['enterprise_id', 'restricted'],
  language_code: ['ssn_last_four'],
  email_declined: ['last_email'],
  guarantor_birth_date: ['guarantor_ssn_last_four'],
};

const columnsOf = (fields: Fields): Record<string, string> =>
  toColumns(
    Object.entries(fields)
      .map(([name, field]) => columnOf(name, field))
      .join(' '),
  );

const CHART_COLUMNS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries<Field>(PATIENT)
      .map(([name, field]) => columnOf(name, field))
      .flatMap((column) => [column, ...(BESIDE_FIELDS[column] ?? [])].map((name) => [name, `t.${name}`])),
  ),
  do_not_sms: wantsNoTexts('t'),
};

export const EXPORT_KINDS = {
  patients: {
    subject: 'patient',
    table: 'patient',
    columns: {
      ...toColumns('id'),
      ...CHART_COLUMNS,
      ...instants('created_at updated_at'),
    },
    listed: `t.status <> 'deleted'`,
    visible: unrestrictedUnless('t', '$4'),
    patientId: 't.id',
    filters: { office: 't.primary_office_id', provider: 't.primary_provider_id', status: 't.status' },
    statuses: ['active', 'inactive', 'prospective'],
  },
  appointments: {
    subject: 'appointment',
    table: 'appointment',
    columns: {
      id: 't.id',
      patient_id: ifSeen('t.patient_id'),
      patient_restricted: 'p.restricted IS TRUE',
      ...toColumns('external_id type_id office_id location_id waiting_room_id provider_id'),
      user_ids: `ARRAY(SELECT u.user_id FROM user_appointment u WHERE u.organization_id = $1 AND u.appointment_id = t.id ORDER BY u.user_id)`,
      ...instants('starts_at ends_at'),
      local_start: `to_char(t.local_start, 'YYYY-MM-DD"T"HH24:MI:SS')`,
      ...toColumns('time_zone duration_minutes status confirmation confirmed_by show_on_tasks created_by_user_id booked_by_user_id'),
      ...instants('confirmed_at booked_at cancelled_at created_at updated_at'),
    },
    listed: 'true',
    visible: 'true',
    patientId: ifSeen('t.patient_id'),
    filters: {
      patient: ifSeen('t.patient_id'),
      office: 't.office_id',
      provider: 't.provider_id',
      status: 't.status',
      time: 't.starts_at',
    },
    statuses: APPOINTMENT_STATUSES,
  },
  texts: {
    subject: 'text',
    table: 'sms_message',
    columns: {
      ...toColumns('id direction'),
      patient_id: ifSeen('t.patient_id'),
      patient_restricted: RESTRICTED_TEXT,
      ...toColumns('appointment_id template_id review_user_id'),
      from_number: `CASE WHEN t.direction = 'inbound' THEN ${ifShown('t.from_number')} ELSE t.from_number END`,
      to_number: `CASE WHEN t.direction = 'inbound' THEN t.to_number WHEN $4::boolean OR NOT (t.to_guardian AND ${isOfRestricted('t.to_number')})
                        THEN ${ifShown('t.to_number')} END`,
      body: ifShown('t.body'),
      language: ifShown('t.language'),
      state: 't.state',
      reason: ifShown('t.reason'),
      not_before: ifShown(selectInstant('t.not_before')),
      attempts: 't.attempts',
      ...instants('queued_at sent_at delivered_at updated_at'),
    },
    listed: 'true',
    visible: 'true',
    patientId: ifSeen('t.patient_id'),
    filters: { patient: ifSeen('t.patient_id'), status: 't.state', time: 't.queued_at' },
    statuses: ['queued', 'sent', 'delivered', 'failed', 'suppressed', 'received'],
  },
  readings: {
    subject: 'reading',
    table: 'reading',
    columns: {
      ...toColumns('id patient_id item_id'),
      item_name: '(SELECT i.name FROM item i WHERE i.organization_id = $1 AND i.id = t.item_id)',
      unit: '(SELECT i.unit FROM item i WHERE i.organization_id = $1 AND i.id = t.item_id)',
      value: 't.value::float8',
      ...toColumns('source device_id check_in_id recorded_by_user_id implausible'),
      ...instants('measured_at received_at error_at'),
    },
    ...OF_CHART,
    filters: { patient: 't.patient_id', time: 't.measured_at' },
  },
  visits: {
    subject: 'telehealth_visit',
    table: 'telehealth_visit',
    columns: { ...toColumns('id patient_id video_session_id visit appointment_id'), ...instants('started_at ended_at') },
    ...OF_CHART,
    listed: `p.status IS DISTINCT FROM 'deleted'`,
    visible: SEEN,
    filters: { patient: 't.patient_id', time: 't.started_at' },
  },
  insurances: {
    subject: 'patient',
    table: 'insurance',
    columns: {
      ...toColumns('id patient_id sequence_number'),
      ...columnsOf(INSURANCE),
      ...toColumns('policy_holder insured'),
      ...instants('created_at updated_at'),
    },
    ...OF_CHART,
    filters: { patient: 't.patient_id' },
    changedWithPatient: `'insurances' = ANY (e.changed)`,
  },
} as const satisfies Record<string, ExportKind>;

export type ExportKindName = keyof typeof EXPORT_KINDS;

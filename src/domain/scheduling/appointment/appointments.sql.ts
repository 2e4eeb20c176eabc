import { anyOf } from '../../../database/statements/any-of.ts';
import { buildObject, type Columns, findObject, selectFields } from '../../../database/statements/columns.ts';
import { selectInstant, statement } from '../../../database/statements/statement.ts';
import { APPOINTMENT } from '../../../records/appointment.ts';
import { columnOf, type Field as RecordField } from '../../../records/field.ts';
import { type Field, selectField } from '../../patients/chart/chart-fields.sql.ts';
import { wantsNoTexts } from '../../patients/consent.sql.ts';
import type { AppointmentFields, AppointmentPatient } from './appointment-view.ts';
import { LOCATION, OFFICE, type ReferredRecords, TYPE, USER, WAITING_ROOM } from './reference-columns.ts';

/** Columns of the patient whose names do not collide with the appointment's. All are null where the chart was deleted. */
type PatientFields = Omit<AppointmentPatient, 'id' | 'status' | 'locationId'>;

export interface PatientOfRow extends Nullable<PatientFields> {
  patientStatus: AppointmentPatient['status'] | null;
  /** The chart is restricted or blocked; null where there is no chart. */
  chartRestricted: boolean | null;
  patientLocationId: number | null;
}

/** An appointment with its patient and the ids of the records that it refers to. */
export interface AppointmentRow extends AppointmentFields, PatientOfRow {
  typeOrganizationId: number | null;
  createdByUserId: number | null;
  /** Participants. */
  userIds: number[];
}

type Nullable<T> = { [K in keyof T]: T[K] | null };

/** Fields of the chart that appointments show as they are stored. */
const OF_CHART = [
  ...(['firstName', 'lastName', 'address1', 'address2', 'city', 'state', 'zip', 'email', 'mobilePhone', 'birthDate', 'admitDate'] as const),
  ...(['sex', 'medicalRecordNo', 'census', 'primaryProviderId'] as const),
] satisfies readonly (keyof PatientFields & Field)[];

function selectOfChart(): Columns<Pick<PatientOfRow, (typeof OF_CHART)[number]>>;
function selectOfChart(): Record<string, string> {
  return Object.fromEntries(OF_CHART.map((field) => [field, selectField(field)]));
}

/** The columns of the patient `p`. */
export const PATIENT_OF_ROW: Columns<PatientOfRow> = {
  ...selectOfChart(),
  patientStatus: 'p.status',
  chartRestricted: 'p.restricted',
  patientLocationId: 'p.location_id',
  flags: `CASE WHEN p.flags <> '{}' THEN array_to_json(p.flags) END`,
  doNotSms: wantsNoTexts('p'),
};

export const NO_PATIENT = noPatient();

function noPatient(): { [F in keyof PatientOfRow]: null };
function noPatient(): Record<string, null> {
  return Object.fromEntries(Object.keys(PATIENT_OF_ROW).map((field) => [field, null]));
}

/** Fields that appointments do not show. */
type Hidden = 'undatedAt' | 'cancelledAt';

function selectAppointment(): Columns<Pick<AppointmentRow, Exclude<keyof typeof APPOINTMENT, Hidden>>>;
function selectAppointment(): Record<string, string> {
  const { undatedAt: _, cancelledAt: __, ...shown } = APPOINTMENT;
  return Object.fromEntries(
    Object.entries<RecordField>(shown).map(([name, field]) => [name, selectShown(`a.${columnOf(name, field)}`, field)]),
  );
}

function selectShown(column: string, { kind }: RecordField): string {
  if (kind === 'instant') return selectInstant(column);
  return kind === 'wallClock' ? `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS')` : column;
}

/** The columns of the appointment `a` and its patient `p`. */
const COLUMNS: Columns<AppointmentRow> = {
  ...selectAppointment(),
  id: 'a.id',
  statusChanges: 'a.status_changes',
  createdAt: selectInstant('a.created_at'),
  updatedAt: selectInstant('a.updated_at'),
  createdByUserId: 'a.created_by_user_id',
  userIds: `ARRAY(SELECT u.user_id FROM user_appointment u
                   WHERE u.organization_id = $1 AND u.appointment_id = a.id ORDER BY u.user_id)`,
  ...PATIENT_OF_ROW,
};

const PATIENT = `LEFT JOIN patient p ON p.organization_id = a.organization_id AND p.id = a.patient_id AND p.status <> 'deleted'`;

/** @param more columns @param from the appointments `a` */
export const selectAppointments = (from = 'appointment a', more = '') => `SELECT ${selectFields(COLUMNS)}${more} FROM ${from} ${PATIENT}`;

/** Values: organization, ids. In no order; cancelled ones are left out. */
export const APPOINTMENTS_BY_ID = statement<AppointmentRow>(
  'appointments_by_id',
  `${selectAppointments()}
    WHERE a.organization_id = $1 AND a.id = ${anyOf('$2')} AND a.status <> 'cancelled'`,
);

/** Values: organization, id, whether a cancelled one is found too. */
export const APPOINTMENT_BY_ID = statement<AppointmentRow & ReferredRecords>(
  'appointment_by_id',
  `SELECT ${selectFields(COLUMNS)}, ${findObject('t', TYPE)} AS type, ${findObject('f', OFFICE)} AS office,
          ${findObject('l', LOCATION)} AS location, ${findObject('w', WAITING_ROOM)} AS "waitingRoom",
          coalesce((SELECT json_agg(${buildObject(USER)}) FROM "user" u WHERE u.organization_id = $1
             AND u.id = ANY (ARRAY(SELECT s.user_id FROM user_appointment s WHERE s.organization_id = $1 AND s.appointment_id = a.id)
                             || a.created_by_user_id)), '[]') AS people
     FROM appointment a ${PATIENT}
     LEFT JOIN appointment_type t ON t.organization_id = a.type_organization_id AND t.id = a.type_id
     LEFT JOIN office f ON f.organization_id = $1 AND f.id = a.office_id
     LEFT JOIN location l ON l.organization_id = $1 AND l.id = a.location_id
     LEFT JOIN waiting_room w ON w.organization_id = $1 AND w.id = a.waiting_room_id
    WHERE a.organization_id = $1 AND a.id = $2 AND ($3::boolean OR a.status <> 'cancelled')`,
);

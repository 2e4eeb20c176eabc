import { selectInstant, statement } from '../../../database/statements/statement.ts';
import { unrestrictedUnless } from '../../patients/restrictions/restricted-charts.sql.ts';
import type { AppointmentStatus } from '../../values/appointment-status.ts';
import type { StatusChange } from '../appointment/appointment-statuses.ts';
import type { ConfirmationAnswer } from '../appointment/confirmation.ts';

/** An appointment with the names that its record shows, also a cancelled one. Wall clocks are `YYYY-MM-DDTHH:MM:SS`. */
export interface AppointmentRecord {
  id: number;
  status: AppointmentStatus;
  confirmation: ConfirmationAnswer;
  /** On the appointment's own clock; null for one that lost its day. */
  localStart: string | null;
  durationMinutes: number;
  /** Null for nobody, for a deleted chart, and for a restricted one that the caller may not see. */
  patientId: number | null;
  /** Whether there is a patient, shown or not. */
  hasPatient: boolean;
  typeId: number | null;
  typeName: string | null;
  officeId: number | null;
  providerId: number | null;
  /** Names of the user who booked it for its patient, or made it without one. */
  bookedBy: string | null;
  /** Instants such as `2026-03-08T14:30:00Z`. */
  bookedAt: string;
  updatedAt: string;
  /** When it lost its day. */
  undatedAt: string | null;
  cancelledAt: string | null;
  /** When the desk began to check the patient in. */
  checkInStartedAt: string | null;
  statusChanges: StatusChange[];
  /** Names of the user who gave it its status last. */
  changedBy: string | null;
}

/** When an appointment `a` was booked for its patient, or made without one. */
const BOOKED_AT = 'coalesce(a.booked_at, a.created_at)';

/** One row for each appointment that has a date, or had one, in no order. Values: organization, ids, whether the caller may see restricted charts. */
export const APPOINTMENT_RECORDS_BY_IDS = statement<AppointmentRecord>(
  'appointment_records',
  `SELECT a.id, a.status, a.confirmation, to_char(a.local_start, 'YYYY-MM-DD"T"HH24:MI:SS') AS "localStart", a.duration_minutes AS "durationMinutes",
          p.id AS "patientId", a.patient_id IS NOT NULL AS "hasPatient", a.type_id AS "typeId", t.name AS "typeName",
          a.office_id AS "officeId", a.provider_id AS "providerId", nullif(concat_ws(' ', u.first_name, u.last_name), '') AS "bookedBy",
          ${selectInstant(BOOKED_AT)} AS "bookedAt", ${selectInstant('a.updated_at')} AS "updatedAt", ${selectInstant('a.undated_at')} AS "undatedAt",
          ${selectInstant('a.cancelled_at')} AS "cancelledAt", ${selectInstant('a.check_in_started_at')} AS "checkInStartedAt",
          a.status_changes AS "statusChanges",
          (SELECT concat_ws(' ', s.first_name, s.last_name) FROM "user" s
            WHERE s.organization_id = $1 AND s.id = (a.status_changes->-1->>'userId')::int) AS "changedBy"
     FROM appointment a
     LEFT JOIN patient p ON p.organization_id = a.organization_id AND p.id = a.patient_id AND p.status <> 'deleted'
                        AND ${unrestrictedUnless('p', '$3')}
     LEFT JOIN appointment_type t ON t.organization_id = a.type_organization_id AND t.id = a.type_id
     LEFT JOIN "user" u ON u.organization_id = a.organization_id AND u.id = CASE WHEN a.booked_at IS NULL THEN a.created_by_user_id ELSE a.booked_by_user_id END
    WHERE a.organization_id = $1 AND a.id = ANY ($2::bigint[]) AND (a.local_start IS NOT NULL OR a.undated_at IS NOT NULL)`,
);

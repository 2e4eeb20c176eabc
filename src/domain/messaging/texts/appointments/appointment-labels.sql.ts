import { statement } from '../../../../database/statements/statement.ts';
import { PATIENT_ZONE } from '../../../patients/patient-clock.sql.ts';

export interface AppointmentToLabel {
  id: number;
  patientId: number | null;
  startsAt: Date | null;
  timeZone: string;
  patientZone: string;
  firstName: string | null;
}

/** Values: organization, appointments. */
export const APPOINTMENTS_TO_LABEL = statement<AppointmentToLabel>(
  'appointments_to_label',
  `SELECT a.id, a.patient_id AS "patientId", a.starts_at AS "startsAt", a.time_zone AS "timeZone", ${PATIENT_ZONE} AS "patientZone",
          coalesce(p.first_name, p.last_name) AS "firstName"
     FROM appointment a
     JOIN organization o ON o.id = a.organization_id
     LEFT JOIN patient p ON p.organization_id = a.organization_id AND p.id = a.patient_id
     LEFT JOIN office f ON f.organization_id = p.organization_id AND f.id = p.primary_office_id
    WHERE a.organization_id = $1 AND a.id = ANY ($2::bigint[])`,
);

/** Counts the patients with a mobile number. Values: organization, number. */
export const NUMBER_OWNERS = statement<{ count: number }>(
  'number_owners',
  `SELECT count(*)::int AS count FROM patient WHERE organization_id = $1 AND mobile_phone = $2 AND status <> 'deleted'`,
);

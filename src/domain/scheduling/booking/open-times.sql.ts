import { selectInstant, statement } from '../../../database/statements/statement.ts';
import type { Appointment } from '../../../generated/prisma/client.ts';

/** A time that can be booked: an appointment without a patient, or a slot. */
export interface OpenTime extends Pick<Appointment, 'id' | 'providerId' | 'officeId' | 'typeId' | 'durationMinutes' | 'frozen'> {
  typeName: string | null;
  /** `2026-03-08T14:30:00Z` */
  startsAt: string;
  localStart: string;
}

const selectLocal = (column: string): string => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS')`;

/** Open appointments of an office. Values: organization, office, providers and types (null for all), from, before, whether frozen ones too. */
export const OPEN_APPOINTMENTS = statement<OpenTime>(
  'open_appointments',
  `SELECT a.id, a.provider_id AS "providerId", a.office_id AS "officeId", a.type_id AS "typeId", t.name AS "typeName",
          ${selectInstant('a.starts_at')} AS "startsAt", ${selectLocal('a.local_start')} AS "localStart", a.duration_minutes AS "durationMinutes", a.frozen
     FROM appointment a
     LEFT JOIN appointment_type t ON t.organization_id = a.type_organization_id AND t.id = a.type_id
    WHERE a.organization_id = $1 AND a.office_id = $2 AND a.starts_at >= $5 AND a.starts_at < $6 AND a.status = 'scheduled' AND a.patient_id IS NULL
      AND ($3::int[] IS NULL OR a.provider_id = ANY ($3::int[])) AND ($4::int[] IS NULL OR a.type_id = ANY ($4::int[]))
      AND (NOT a.frozen OR $7::boolean)`,
);

/** Values: organization, appointment. */
export const IS_FROZEN = statement<{ frozen: boolean }>(
  'is_frozen',
  'SELECT frozen FROM appointment WHERE organization_id = $1 AND id = $2',
);

/** Values: organization, appointment, whether it is frozen. */
export const FREEZE_APPOINTMENT = statement<{ id: number }>(
  'freeze_appointment',
  'UPDATE appointment SET frozen = $3, updated_at = now() WHERE organization_id = $1 AND id = $2 AND frozen <> $3 RETURNING id',
);

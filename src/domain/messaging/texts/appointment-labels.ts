import type { Db } from '../../../database/database.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { patientZone } from '../../patients/patient-clock.sql.ts';
import { findProviderNames } from '../../scheduling/provider-names.ts';
import type { Language } from '../../values/languages.ts';
import { shortVisitTime } from '../templates/visit-times.ts';
import { type AppointmentLabel, REPLY_WORDS } from './confirmation-replies.ts';

/** An appointment as a reply names it. */
export interface LabelledAppointment {
  id: number;
  patientId: number | null;
  startsAt: Date | null;
  now: AppointmentLabel;
  /** By the start that the patient was told alone. */
  was: AppointmentLabel;
}

interface AppointmentRow {
  id: number;
  patientId: number | null;
  startsAt: Date | null;
  timeZone: string;
  patientZone: string | null;
  firstName: string | null;
}

/** An appointment, and the start of it that the patient knows. */
export interface ToldAppointment {
  appointmentId: number;
  toldStart: Date | null;
}

/**
 * Names appointments to the patient who has a number. Where several patients share it, each appointment has its patient's first name.
 */
export async function labelAppointments(
  db: Db,
  caller: Caller,
  told: readonly ToldAppointment[],
  { number, language }: { number: string; language: Language },
): Promise<Map<number, LabelledAppointment>> {
  const { organizationId } = caller;
  const ids = told.map(({ appointmentId }) => appointmentId);
  const rows = await db.$queryRaw<AppointmentRow[]>`
    SELECT a.id, a.patient_id AS "patientId", a.starts_at AS "startsAt", a.time_zone AS "timeZone",
           ${patientZone} AS "patientZone",
           coalesce(p.first_name, p.last_name) AS "firstName"
      FROM appointment a
      JOIN organization o ON o.id = a.organization_id
      LEFT JOIN patient p ON p.organization_id = a.organization_id AND p.id = a.patient_id
      LEFT JOIN office f ON f.organization_id = p.organization_id AND f.id = p.primary_office_id
     WHERE a.organization_id = ${organizationId} AND a.id = ANY (${ids}::bigint[])`;
  const providers = await findProviderNames(db, caller, ids);
  const patientIds = [...new Set(rows.flatMap(({ patientId }) => patientId ?? []))];
  if (patientIds.length > 0) recordRead(caller, 'patient', patientIds);
  const isShared = patientIds.length > 1 || (await isSharedNumber(db, caller, number));
  const write = ({ timeZone, patientZone }: AppointmentRow, startsAt: Date | null, provider: string, person: string | null) => {
    const time = startsAt === null ? '' : shortVisitTime(startsAt, timeZone, language, patientZone);
    return REPLY_WORDS[language].label({ time, provider, person });
  };
  return new Map(
    rows.map((row) => {
      const { id, patientId, startsAt, firstName } = row;
      const toldStart = told.find(({ appointmentId }) => appointmentId === id)?.toldStart ?? startsAt;
      const now = write(row, startsAt, providers.get(id) ?? '', isShared ? firstName : null);
      return [id, { id, patientId, startsAt, now, was: write(row, toldStart, '', null) }];
    }),
  );
}

async function isSharedNumber(db: Db, { organizationId }: Caller, number: string): Promise<boolean> {
  return (await db.patient.count({ where: { organizationId, mobilePhone: number, status: { not: 'deleted' } } })) > 1;
}

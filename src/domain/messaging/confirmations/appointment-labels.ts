import { statement } from '../../../database/statements/statement.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import { PATIENT_ZONE } from '../../patients/patient-clock.sql.ts';
import { findProviderNames } from '../../scheduling/appointment/provider-names.ts';
import type { Tx } from '../../tx.ts';
import type { Language } from '../../values/languages.ts';
import { shortAppointmentTime } from '../templates/appointment-times.ts';
import { type AppointmentLabel, REPLY_WORDS } from './confirmation-replies.ts';

interface AppointmentToLabel {
  id: number;
  patientId: number | null;
  startsAt: Date | null;
  timeZone: string;
  patientZone: string;
  firstName: string | null;
}

/** Values: organization, appointments. */
const APPOINTMENTS_TO_LABEL = statement<AppointmentToLabel>(
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
const NUMBER_OWNERS = statement<{ count: number }>(
  'number_owners',
  `SELECT count(*)::int AS count FROM patient WHERE organization_id = $1 AND mobile_phone = $2 AND status <> 'deleted'`,
);

/** An appointment as a reply names it. */
export interface LabelledAppointment {
  id: number;
  patientId: number | null;
  startsAt: Date | null;
  now: AppointmentLabel;
  /** By the start that the patient was told alone. */
  was: AppointmentLabel;
}

/** An appointment, and the start of it that the patient knows. */
export interface ToldAppointment {
  appointmentId: number;
  toldStart: Date | null;
}

type LabelIn = (language: Language, told: readonly ToldAppointment[]) => Map<number, LabelledAppointment>;

/** Names appointments to the patient who has a number. Where several patients share it, each appointment has its patient's first name. */
export async function findLabels(tx: Tx, ids: readonly number[], number: string): Promise<LabelIn> {
  const [found, providers, [owners]] = await Promise.all([
    tx.rows(APPOINTMENTS_TO_LABEL, [ids]),
    findProviderNames(tx, ids),
    tx.rows(NUMBER_OWNERS, [number]),
  ]);
  const patientIds = [...new Set(found.flatMap(({ patientId }) => patientId ?? []))];
  if (patientIds.length > 0) recordRead(tx, 'patient', patientIds);
  const isShared = patientIds.length > 1 || (owners?.count ?? 0) > 1;
  return (language, told) => {
    const write = ({ timeZone, patientZone }: AppointmentToLabel, startsAt: Date | null, provider: string, person: string | null) => {
      const time = startsAt === null ? '' : shortAppointmentTime(startsAt, timeZone, language, patientZone);
      return REPLY_WORDS[language].label({ time, provider, person });
    };
    return new Map(
      found.map((row) => {
        const { id, patientId, startsAt, firstName } = row;
        const toldStart = told.find(({ appointmentId }) => appointmentId === id)?.toldStart ?? startsAt;
        const now = write(row, startsAt, providers.get(id) ?? '', isShared ? firstName : null);
        return [id, { id, patientId, startsAt, now, was: write(row, toldStart, '', null) }];
      }),
    );
  };
}

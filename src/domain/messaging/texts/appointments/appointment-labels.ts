import type { Db } from '../../../../database/database.ts';
import { preparedIn } from '../../../../database/statements/statement.ts';
import { recordRead } from '../../../audit/journal-entries.ts';
import type { Caller } from '../../../caller.ts';
import { findProviderNames } from '../../../scheduling/provider-names.ts';
import type { Language } from '../../../values/languages.ts';
import { shortVisitTime } from '../../templates/visit-times.ts';
import { APPOINTMENTS_TO_LABEL, type AppointmentToLabel, NUMBER_OWNERS } from './appointment-labels.sql.ts';
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

/** An appointment, and the start of it that the patient knows. */
export interface ToldAppointment {
  appointmentId: number;
  toldStart: Date | null;
}

/** Names appointments in a language. */
type LabelIn = (language: Language, told: readonly ToldAppointment[]) => Map<number, LabelledAppointment>;

/**
 * Names appointments to the patient who has a number. Where several patients share it, each appointment has its patient's first name.
 */
export async function findLabels(db: Db, caller: Caller, ids: readonly number[], number: string): Promise<LabelIn> {
  const { organizationId } = caller;
  const { rows } = preparedIn(db);
  const [found, providers, [owners]] = await Promise.all([
    rows(APPOINTMENTS_TO_LABEL, [organizationId, ids]),
    findProviderNames(db, caller, ids),
    rows(NUMBER_OWNERS, [organizationId, number]),
  ]);
  const patientIds = [...new Set(found.flatMap(({ patientId }) => patientId ?? []))];
  if (patientIds.length > 0) recordRead(caller, 'patient', patientIds);
  const isShared = patientIds.length > 1 || (owners?.count ?? 0) > 1;
  return (language, told) => {
    const write = ({ timeZone, patientZone }: AppointmentToLabel, startsAt: Date | null, provider: string, person: string | null) => {
      const time = startsAt === null ? '' : shortVisitTime(startsAt, timeZone, language, patientZone);
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

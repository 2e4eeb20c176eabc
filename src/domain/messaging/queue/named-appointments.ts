import type { TextQuestionState } from '../../../generated/prisma/client.ts';
import type { PracticeTx } from '../../tx.ts';
import { NAME_APPOINTMENTS, type TextFacts } from './queued-texts.sql.ts';

export interface NamedAppointment {
  appointmentId: number;
  /** The patient for whom the text is. */
  patientId: number | null;
  /** The start that the text names; null where it names none. */
  startsAt: Date | null;
  /** Of the yes-or-no question that the text asks; null where it asks none. */
  question: TextQuestionState | null;
  /** Its number, where the text lists several. */
  position?: number;
}

interface AboutOne {
  appointmentId?: number | undefined;
  patientId?: number | undefined;
  /** The text asks for a yes or no. */
  asks?: boolean | undefined;
  /** The text names the start. */
  namesStart?: boolean | undefined;
}

/** The appointment that a text is about, as it is now. One without a date can be asked about, but not confirmed. */
export function listNamed({ startsAt }: Pick<TextFacts, 'startsAt'>, about: AboutOne): NamedAppointment[] {
  const { appointmentId, patientId = null, asks = false, namesStart = true } = about;
  if (appointmentId === undefined) return [];
  const question = asks && startsAt !== null ? 'open' : null;
  return [{ appointmentId, patientId, startsAt: namesStart || asks ? startsAt : null, question }];
}

export function storeNamedAppointments(tx: PracticeTx, id: number, named: readonly NamedAppointment[]): void {
  if (named.length === 0) return;
  tx.later(NAME_APPOINTMENTS, [
    id,
    named.map(({ appointmentId }) => appointmentId),
    named.map(({ patientId }) => patientId),
    named.map(({ startsAt }) => startsAt?.toISOString() ?? null),
    named.map(({ question }) => question),
    named.map(({ position }) => position ?? null),
  ]);
}

import type { Db } from '../../../database/database.ts';
import type { SmsMessage, TextQuestionState } from '../../../generated/prisma/client.ts';
import type { Caller } from '../../caller.ts';

/** An appointment as a text names it. */
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

interface AboutOne extends Pick<SmsMessage, 'patientId'> {
  appointmentId: number;
  /** The text asks for a yes or no. */
  asks: boolean;
  /** The text names the start. */
  namesStart: boolean;
}

/** An appointment as a text about it alone names it now. One without a date can be asked about, but not confirmed. */
export async function nameAppointment(
  db: Db,
  { organizationId }: Caller,
  { appointmentId, patientId, asks, namesStart }: AboutOne,
): Promise<NamedAppointment> {
  const { startsAt } = await db.appointment.findUniqueOrThrow({
    where: { organizationId_id: { organizationId, id: appointmentId } },
    select: { startsAt: true },
  });
  const question = asks && startsAt !== null ? 'open' : null;
  return { appointmentId, patientId, startsAt: namesStart || asks ? startsAt : null, question };
}

/** Stores which appointments a text names. */
export async function storeNamedAppointments(db: Db, text: SmsMessage, named: readonly NamedAppointment[]): Promise<void> {
  if (named.length === 0) return;
  const { organizationId, id: smsMessageId } = text;
  await db.textAppointment.createMany({ data: named.map((one) => ({ organizationId, smsMessageId, ...one })) });
}

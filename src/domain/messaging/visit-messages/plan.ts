import { momentFrom } from './lead-times.ts';
import type { Rule } from './rules.sql.ts';
import type { ToldAppointment } from './told-appointments.sql.ts';

/** Reasons for which a message about a visit is not sent, beside those of consent. Stored in rows, so the codes are stable. */
export type StopReason =
  | 'appointment_cancelled'
  | 'appointment_missed'
  | 'appointment_over'
  | 'declined'
  | 'too_late'
  | 'superseded'
  | 'skipped';

/** A message that goes at a time before or after a visit. */
export interface PlannedMessage {
  kind: string;
  lead: string;
  dueAt: Date;
  templateId: number | null;
  /** The reason for which it does not go, as things are; null where it does. */
  reason: StopReason | null;
}

export type DatedAppointment = ToldAppointment & { patientId: number; startsAt: Date };

export const isDated = (visit: ToldAppointment): visit is DatedAppointment => visit.patientId !== null && visit.startsAt !== null;

/** Longest delay, such as that of an outage, after which a message is still sent. */
const MOST_DELAY_MS = 12 * 3_600_000;

/** The instant at which a message is due: before the start of a visit, or after its end. */
export function dueAt(
  { startsAt, endsAt, timeZone }: Pick<DatedAppointment, 'startsAt' | 'endsAt' | 'timeZone'>,
  kind: string,
  lead: string,
): Date {
  const before = kind === 'reminder';
  return momentFrom(before ? startsAt : (endsAt ?? startsAt), timeZone, { lead, before });
}

/** The messages before and after a visit, in the order of their times. @param rules that are in force for its type */
export function planMessages(visit: DatedAppointment, rules: readonly Rule[], now: Date): PlannedMessage[] {
  return rules
    .flatMap(({ kind, offsets, templateId, since }) =>
      offsets.map((lead) => {
        const due = dueAt(visit, kind, lead);
        return { kind, lead, templateId, dueAt: due, reason: stopReason(visit, { kind, due, since }, now) };
      }),
    )
    .toSorted((one, other) => one.dueAt.getTime() - other.dueAt.getTime());
}

interface Timed {
  kind: string;
  due: Date;
  since: Date;
}

function stopReason(
  { status, confirmation, bookedAt, startsAt }: DatedAppointment,
  { kind, due, since }: Timed,
  now: Date,
): StopReason | null {
  if (status === 'cancelled') return 'appointment_cancelled';
  if (status === 'no_show') return 'appointment_missed';
  if (confirmation === 'No') return 'declined';
  if (due < bookedAt || due < since || now.getTime() - due.getTime() > MOST_DELAY_MS) return 'too_late';
  return kind === 'reminder' && now >= startsAt ? 'appointment_over' : null;
}

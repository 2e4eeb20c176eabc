import type { AppointmentNotice, NewEvent } from '../../journal.ts';
import type { Tx } from '../../tx.ts';
import { nowIn } from '../../values/test-practices.ts';
import type { VisitMessageKind } from '../templates/categories.ts';
import { findTypeRules } from './rules.ts';
import { type Telling, tell } from './telling.ts';
import { TOLD_APPOINTMENT, type ToldAppointment } from './told-appointments.sql.ts';

/**
 * Tells the patient of a visit that it was booked, moved in time or to another provider or office, cancelled or missed: once, by the way that the request asks for; else as the
 * rule for it says, or the practice's usual way of telling of changes. Nothing is said of a visit without a date, and to a patient who is
 * no longer the visit's. Where a change withdraws a notice before it left, the patient is told of the new state in its place, unless the
 * request says `none`.
 */
export async function tellOfChange(tx: Tx, event: NewEvent): Promise<void> {
  const { id, notice } = event;
  const isUntold = !notice?.ruled && (notice?.asked ?? notice?.usual) === 'none';
  const mayReplace = notice?.asked === null && event.textsWait === true;
  if (!notice || (isUntold && !mayReplace)) return;
  const [visit] = await tx.rows(TOLD_APPOINTMENT, [id]);
  const found = visit && findMessageKind(event, notice, visit);
  if (!found || !isToBeTold(visit)) return;
  const asked = await howToTell(tx, notice, { kind: found, visit });
  const replaced = asked === null && mayReplace ? await findWithdrawnNotice(tx, visit) : null;
  // A patient who never heard of the visit hears nothing of its end, and of a move that it was booked.
  const kind = replaced === 'booked' && found === 'moved' ? 'booked' : found;
  const how = asked ?? (replaced === kind || (replaced === 'moved' && kind === 'cancelled') ? REPLACING : null);
  if (how === null) return;
  const startsAt = visit.startsAt ?? notice.startedAt;
  const now = nowIn(tx.organizationId);
  // Only a visit that has begun can be missed, and nothing else is said of it then.
  if (startsAt === null || (kind === 'missed') !== startsAt <= now) return;
  const before = notice.startedAt ?? startsAt;
  const knownStart = await findKnownStart(tx, visit, before);
  // The visit is again when the patient knows it.
  if (kind === 'moved' && sameTime(knownStart, startsAt) && !sameTime(before, startsAt)) return;
  const told = await tell(tx, { kind, visit, startsAt, knownStart, now, ...how });
  // A rule promises a message, and who asks for one sees why there is none.
  if (told.reason !== null && !how.ruled && how.automatic) return;
  const { patientId } = visit;
  const known = kind === 'moved' ? { knownStart } : {};
  await tx.prisma.visitMessage.create({
    data: { ...tx.practice, appointmentId: id, patientId, kind, startsAt, ...known, dueAt: now, ...told },
  });
}

/** As whoever asked for the notice that was withdrawn wanted it. */
const REPLACING = { channel: 'text', automatic: false, ruled: false } as const;

/** The kind of the latest message about a visit, where its text was withdrawn before it left because the visit changed; else null. */
async function findWithdrawnNotice(
  tx: Tx,
  { id: appointmentId, patientId }: ToldAppointment & { patientId: number },
): Promise<string | null> {
  const latest = await tx.prisma.visitMessage.findFirst({
    where: { ...tx.practice, appointmentId, patientId, lead: null },
    select: { kind: true, text: { select: { state: true, reason: true } } },
    orderBy: { id: 'desc' },
  });
  const isWithdrawn = latest?.text?.state === 'suppressed' && latest.text.reason?.startsWith('appointment_');
  return isWithdrawn && latest ? latest.kind : null;
}

/** Notices of moves that are read at most: nobody moves a visit more often before a notice leaves. */
const MOST_MOVES = 20;

/** The start that a patient knows of a visit: notices of moves that were withdrawn before they left told them nothing. */
async function findKnownStart(
  tx: Tx,
  { id: appointmentId, patientId }: ToldAppointment & { patientId: number },
  before: Date,
): Promise<Date> {
  const notices = await tx.prisma.visitMessage.findMany({
    where: { ...tx.practice, appointmentId, patientId, kind: 'moved' },
    select: { startsAt: true, knownStart: true, text: { select: { state: true } } },
    orderBy: { id: 'desc' },
    take: MOST_MOVES,
  });
  let known = before;
  for (const { startsAt, knownStart, text } of notices) {
    if (text?.state !== 'suppressed' || knownStart === null || !sameTime(startsAt, known)) break;
    known = knownStart;
  }
  return known;
}

const sameTime = (one: Date, other: Date): boolean => one.getTime() === other.getTime();

const isToBeTold = (visit: ToldAppointment): visit is ToldAppointment & { patientId: number } => visit.patientId !== null;

/** The kind that a change is to the patient whom the visit has now; null where they hear nothing of it. */
function findMessageKind(
  { name, changed = [] }: NewEvent,
  { startedAt, reassigned }: AppointmentNotice,
  { startsAt, status }: ToldAppointment,
): VisitMessageKind | null {
  if (name === 'appointment.cancelled') return startedAt === null ? null : 'cancelled';
  const isNew = name === 'appointment.scheduled' || changed.includes('patientId') || (name === 'appointment.moved' && startedAt === null);
  if (isNew) return startsAt === null ? null : 'booked';
  if (name === 'appointment.moved') return startsAt === null ? 'cancelled' : 'moved';
  if (reassigned) return startsAt === null ? null : 'moved';
  if (changed.includes('cancelledAt')) return startsAt === null ? null : 'booked';
  return changed.includes('status') && status === 'no_show' ? 'missed' : null;
}

/** Null where nobody is to be told. */
async function howToTell(
  tx: Tx,
  { asked, usual, ruled }: AppointmentNotice,
  { kind, visit }: Pick<Telling, 'kind' | 'visit'>,
): Promise<(Pick<Telling, 'channel' | 'templateId' | 'automatic'> & { ruled: boolean }) | null> {
  const rules = ruled ? await findTypeRules(tx, visit.typeId) : [];
  const rule = rules.find((one) => one.kind === kind);
  const isChange = kind === 'moved' || kind === 'cancelled';
  const wanted = kind === 'missed' ? undefined : (asked ?? (isChange && !rule ? usual : undefined));
  if (wanted === 'none' || (wanted === undefined && !rule)) return null;
  return { ...(wanted && { channel: wanted }), templateId: rule?.templateId ?? null, automatic: asked === null, ruled: rule !== undefined };
}

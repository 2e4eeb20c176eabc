import type { MessageState } from '../../../generated/prisma/client.ts';
import { recordChange, recordRead } from '../../audit/journal-entries.ts';
import { conflict, notFound } from '../../errors.ts';
import { findPatientReach } from '../../patients/guardians/reach.ts';
import { lockAppointment } from '../../scheduling/appointment/appointment-lock.ts';
import { findAppointment, recordPatientRead } from '../../scheduling/appointment/appointment-reader.ts';
import type { Tx } from '../../tx.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { nowIn } from '../../values/test-practices.ts';
import { findTextFacts } from '../queue/queued-texts.ts';
import { withdrawMail } from '../sending/outgoing-mails.ts';
import { withdrawText } from '../sending/outgoing-texts.ts';
import { decide, findPlannedAppointment } from './due-messages.ts';
import { type DatedAppointment, isDated, type PlannedMessage } from './plan.ts';
import { leavesAt, wayTo } from './telling.ts';
import type { DecidedMessage } from './told-appointments.sql.ts';

export interface VisitMessageView {
  /** The same before and after it was sent. */
  id: string;
  kind: string;
  /** Time before or after the visit; null for a message that went at once. */
  offset: string | null;
  /** `planned` goes at `sendsAt`; `skipped` was taken out; the others are those of texts and mails. */
  state: 'planned' | 'skipped' | Exclude<MessageState, 'received'>;
  /** The reason for which it is not sent, or did not arrive. */
  reason: string | null;
  channel: 'text' | 'email' | null;
  /** Of the visit that it is about. */
  startsAt: Date;
  dueAt: Date;
  /** After the quiet hours of the patient; null for what does not wait. */
  sendsAt: Date | null;
  sentAt: Date | null;
  smsMessageId: number | null;
  mailMessageId: number | null;
}

/**
 * The messages about a visit by the time at which they are due: those that went to its patient, and those that will. Also of a cancelled
 * visit.
 * @throws Failure not_found, also where the caller may not see the patient
 */
export async function listVisitMessages(tx: Tx, id: number, page: PageRequest): Promise<Page<VisitMessageView>> {
  await requireVisible(tx, id);
  const found = await findPlannedAppointment(tx, id, nowIn(tx.organizationId));
  if (!found) throw notFound('appointment');
  const { visit, decided, planned } = found;
  const coming = isDated(visit) && planned.length > 0 ? await showPlanned(tx, visit, planned) : [];
  const items = [...decided.map(showDecided), ...coming].toSorted((one, other) => one.dueAt.getTime() - other.dueAt.getTime());
  const from = (page.page - 1) * page.limit;
  return { ...page, items: items.slice(from, from + page.limit), total: items.length };
}

async function requireVisible(tx: Tx, id: number): Promise<void> {
  const appointment = await findAppointment(tx, id, undefined, { cancelled: true });
  if (!appointment.patient && appointment.patientRestricted) throw notFound('patient');
  recordRead(tx, 'appointment', [id]);
  recordPatientRead(tx, appointment);
}

const toKey = ({ kind, lead }: Pick<PlannedMessage, 'kind' | 'lead'>, startsAt: Date): string =>
  `${kind}-${lead}-${startsAt.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

const keyOfDecided = ({ id, kind, lead, startsAt }: DecidedMessage): string =>
  lead === null ? String(id) : toKey({ kind, lead }, startsAt);

function showDecided(message: DecidedMessage): VisitMessageView {
  const { kind, lead, state, reason, outcome, startsAt, dueAt, notBefore, sentAt, smsMessageId, mailMessageId } = message;
  const kept = state === 'received' ? null : state;
  return {
    id: keyOfDecided(message),
    kind,
    offset: lead,
    // A text or mail that is kept no longer had left.
    state: reason === 'skipped' ? 'skipped' : (kept ?? (reason === null ? 'sent' : 'suppressed')),
    reason: reason ?? outcome,
    channel: smsMessageId !== null ? 'text' : mailMessageId === null ? null : 'email',
    startsAt,
    dueAt,
    sendsAt: state === 'queued' ? (notBefore ?? dueAt) : null,
    sentAt,
    smsMessageId,
    mailMessageId,
  };
}

/** As they would go if nothing changes. */
async function showPlanned(tx: Tx, visit: DatedAppointment, planned: readonly PlannedMessage[]): Promise<VisitMessageView[]> {
  const { patientId, id, startsAt } = visit;
  const [facts, person] = await Promise.all([findTextFacts(tx, { patientId, appointmentId: id }), findPatientReach(tx, patientId)]);
  const way = person ? wayTo(facts, person) : { reason: 'patient_gone' };
  const channel = 'channel' in way ? way.channel : null;
  return planned.map((message): VisitMessageView => {
    const { kind, lead, dueAt } = message;
    const sendsAt = channel === 'text' ? leavesAt(facts, dueAt) : dueAt;
    const isLate = kind === 'reminder' && sendsAt >= startsAt ? 'appointment_over' : null;
    const reason = message.reason ?? ('reason' in way ? way.reason : isLate);
    const state = reason === null ? 'planned' : 'suppressed';
    const shown = { id: toKey(message, startsAt), kind, offset: lead, state, reason, channel, startsAt, dueAt } as const;
    return { ...shown, sendsAt: reason === null ? sendsAt : null, sentAt: null, smsMessageId: null, mailMessageId: null };
  });
}

/**
 * Takes a message out: it is not sent. Nothing changes where it was not to be sent anyway.
 * @throws Failure not_found for an appointment or a message; conflict for a message that may have left
 */
export async function skipVisitMessage(tx: Tx, id: number, message: string): Promise<void> {
  await lockAppointment(tx, id);
  await requireVisible(tx, id);
  const found = await findPlannedAppointment(tx, id, nowIn(tx.organizationId));
  if (!found) throw notFound('appointment');
  const { visit, decided, planned } = found;
  const past = decided.find((one) => keyOfDecided(one) === message);
  if (past) return skipDecided(tx, id, past);
  const coming = isDated(visit) && planned.find((one) => toKey(one, visit.startsAt) === message);
  if (!coming || !isDated(visit)) throw notFound('message');
  await decide(tx, visit, coming, { reason: 'skipped' });
  recordChange(tx, 'update', { name: 'visit_message.skipped', id }, [visit.patientId]);
}

async function skipDecided(tx: Tx, appointmentId: number, message: DecidedMessage): Promise<void> {
  const { id, state, reason, attempts, smsMessageId, mailMessageId } = message;
  if (reason !== null || state === 'suppressed') return;
  if (state !== 'queued' || attempts > 0) throw conflict('message_sent', 'The message was sent, or may have been sent.');
  if (smsMessageId !== null) await withdrawText(tx, smsMessageId);
  if (mailMessageId !== null) await withdrawMail(tx, mailMessageId);
  await tx.prisma.visitMessage.update({ where: tx.key(id), data: { reason: 'skipped' } });
  recordChange(tx, 'update', { name: 'visit_message.skipped', id: appointmentId });
}

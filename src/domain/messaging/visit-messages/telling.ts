import type { VisitMessage } from '../../../generated/prisma/client.ts';
import { findPatientReach, type Reach } from '../../patients/guardians/reach.ts';
import { findAppointment } from '../../scheduling/appointment/appointment-reader.ts';
import { findProviderNames } from '../../scheduling/appointment/provider-names.ts';
import type { Tx } from '../../tx.ts';
import { isLanguage } from '../../values/languages.ts';
import { findLabels } from '../confirmations/appointment-labels.ts';
import type { TextFacts } from '../queue/queued-texts.sql.ts';
import { findTextFacts, insertText } from '../queue/queued-texts.ts';
import { objectionIn, type SuppressionReason } from '../recipients/consent.ts';
import { endOfQuietHours } from '../recipients/quiet-hours.ts';
import { recipientLanguage } from '../recipients/recipient-language.ts';
import { queueMail } from '../sending/outgoing-mails.ts';
import { renderAutomaticMail, renderFrom, type TextOccasion } from '../templates/automatic-texts.ts';
import type { VisitMessageKind } from '../templates/categories.ts';
import { appointmentStartValues } from '../templates/placeholder-values.ts';
import { createValues } from '../templates/template-values.ts';
import { ACTIVE_TEMPLATE, TEMPLATE_BY_ID } from '../templates/templates.sql.ts';
import type { StopReason } from './plan.ts';
import type { ToldAppointment } from './told-appointments.sql.ts';

/** A message about a visit that goes now. */
export interface Telling {
  kind: VisitMessageKind;
  visit: ToldAppointment & { patientId: number };
  /** The start that the message is about: that of now, else the former one. */
  startsAt: Date;
  /** The start that the patient knew before. */
  knownStart?: Date;
  /** The way that was asked for; undefined for that which the patient wishes. */
  channel?: 'text' | 'email';
  /** Null for the active template of the category, else the server's own words. */
  templateId?: number | null;
  /** Nobody asked for this message. */
  automatic: boolean;
  now: Date;
}

/** The text or mail that a message became, or why there is none. */
export type Told = Partial<Pick<VisitMessage, 'smsMessageId' | 'mailMessageId'>> & { reason: NotTold | null };
type NotTold = SuppressionReason | StopReason | 'no_mobile_number' | 'no_email' | 'no_sender_number' | 'number_not_registered';

/** Queues a message about a visit, in the language and by the way of its patient. */
export async function tell(tx: Tx, telling: Telling): Promise<Told> {
  const { visit, kind, channel: asked } = telling;
  const { patientId, id } = visit;
  const [facts, person] = await Promise.all([findTextFacts(tx, { patientId, appointmentId: id }), findPatientReach(tx, patientId)]);
  if (!person) return { reason: 'patient_gone' };
  const way = wayTo(facts, person, asked);
  if ('reason' in way) return way;
  const isLate = way.channel === 'text' && kind === 'reminder' && visit.startsAt !== null && visit.startsAt <= leavesAt(facts, telling.now);
  if (isLate) return { reason: 'appointment_over' };
  return send(tx, telling, { facts, person, channel: way.channel });
}

export const leavesAt = (facts: Pick<TextFacts, 'zone' | 'start' | 'end'>, now: Date): Date =>
  endOfQuietHours(now, facts.zone, facts) ?? now;

/** The way by which a patient is told: the one that was asked for, else a text, else a mail; a mail first where the chart says so. Where no text may go, a mail does. */
export function wayTo(
  facts: TextFacts,
  { email, prefersMail }: Pick<Reach, 'email' | 'prefersMail'>,
  asked?: 'text' | 'email',
): { channel: 'text' | 'email' } | { reason: NotTold } {
  const { mobilePhone, doNotSms, ownStopped, sender, senderRegistration } = facts;
  const objection = objectionIn({ ...facts, doNotSms: false });
  if (objection !== null) return { reason: objection };
  if (asked === 'email' && email === null) return { reason: 'no_email' };
  if (asked === 'email' || (asked === undefined && prefersMail && email !== null)) return { channel: 'email' };
  const mayText = sender !== null && senderRegistration !== 'unregistered' && senderRegistration !== 'pending';
  // A text that was asked for is stored where it cannot leave, with the reason.
  if (mayText && ((mobilePhone !== null && !doNotSms && !ownStopped) || (asked === 'text' && email === null))) return { channel: 'text' };
  if (email !== null) return { channel: 'email' };
  if (mobilePhone === null) return { reason: 'no_mobile_number' };
  if (doNotSms || ownStopped) return { reason: doNotSms ? 'do_not_sms' : 'opted_out' };
  return { reason: sender === null ? 'no_sender_number' : 'number_not_registered' };
}

interface Addressed {
  facts: TextFacts;
  person: Reach;
  channel: 'text' | 'email';
}

async function send(tx: Tx, telling: Telling, { facts, person, channel }: Addressed): Promise<Told> {
  const { kind, visit, automatic } = telling;
  const category = `visit-${kind}` as const;
  const [template, occasion] = await Promise.all([findWords(tx, telling), toOccasion(tx, telling, { facts, person })]);
  const mayAsk = channel === 'text' && visit.confirmation === 'Pending' && visit.status === 'scheduled';
  const { body, ...words } = renderFrom(template, tx, category, { ...occasion, mayAsk });
  const { patientId, id: appointmentId } = visit;
  if (channel === 'email') {
    const { subject } = renderAutomaticMail(category, occasion, body);
    return { mailMessageId: (await queueMail(tx, { patientId, subject, body })).id, reason: null };
  }
  const text = { ...words, body, patientId, appointmentId, automatic, ...toNamed(kind) };
  return { smsMessageId: insertText(tx, facts, text).id, reason: null };
}

/** A cancellation, and what is said after a visit, hold for another start too; the rest is bound to the start of now. */
const toNamed = (kind: VisitMessageKind) => ({ namesStart: kind !== 'cancelled' && kind !== 'missed' && kind !== 'follow-up' });

/** The template that the rule names, else the active one of the category. */
async function findWords(tx: Tx, { kind, templateId = null }: Telling) {
  const [named] = templateId === null ? [] : await tx.rows(TEMPLATE_BY_ID, [templateId]);
  const [active] = named ? [] : await tx.rows(ACTIVE_TEMPLATE, [`visit-${kind}`]);
  return named ?? active ?? null;
}

async function toOccasion(
  tx: Tx,
  { kind, visit, startsAt, knownStart = startsAt }: Telling,
  { facts, person }: Omit<Addressed, 'channel'>,
): Promise<TextOccasion> {
  const { id, timeZone } = visit;
  const language = recipientLanguage(facts.patientLanguage, facts.practiceLanguage, facts.gone ? {} : facts);
  const [appointment, providers, labels] = await Promise.all([
    findAppointment(tx, id, undefined, { cancelled: true }),
    findProviderNames(tx, [id]),
    findLabels(tx, [id], facts.mobilePhone ?? ''),
  ]);
  // The number to call back is the practice's, if need be the one that the text is from.
  const organization = { name: facts.practice, phone: facts.practicePhone ?? facts.sender };
  const values = createValues({ organization, patient: person, appointment, provider: providers.get(id), reviewUrl: '' });
  // A visit that goes to another provider or office, and keeps its time, is known by them.
  const isElsewhere = kind === 'moved' && startsAt.getTime() === knownStart.getTime();
  const office = appointment.office?.patientDepartmentName ?? appointment.office?.name;
  const elsewhere = isElsewhere ? [providers.get(id), office].filter((one) => one) : [];
  return {
    language,
    values: (written) => {
      const label = labels(isLanguage(written.tag) ? written.tag : language.own, [{ appointmentId: id, toldStart: knownStart }]).get(id);
      return {
        ...values(written),
        ...appointmentStartValues(startsAt, timeZone, written),
        visit: [label?.now ?? '', ...elsewhere].join(', '),
        'former visit': label?.was ?? '',
      };
    },
  };
}

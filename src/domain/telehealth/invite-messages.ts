import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/keyring.ts';
import type { Caller } from '../caller.ts';
import type { Channel, Recipient } from '../messaging/check-ins/check-ins.ts';
import { queueMail } from '../messaging/outgoing-mails.ts';
import { nameInSubject, patientNameValues, practiceValues } from '../messaging/templates/placeholder-values.ts';
import { renderTemplate } from '../messaging/templates/placeholders.ts';
import { sealPlaceholders } from '../messaging/templates/sealed-placeholders.ts';
import { renderWithContext } from '../messaging/templates/templates.ts';
import { holdAppointment } from '../messaging/texts/named-appointments.ts';
import { MAX_TEXT_LENGTH, queueText } from '../messaging/texts/outgoing-texts.ts';
import { greetingName } from '../values/person-names.ts';

/** Category of templates. Its active template is the text of an invite. */
const CATEGORY = 'telehealth';
const DEFAULT_TEXT = 'Hello {{first name}}, {{org name}} is ready for your video visit. Join here: {{url}}';

interface InviteMessage {
  channel: Channel;
  to: string;
  patient: Recipient | null;
  appointmentId: number | null;
  url: string;
  keyring: Keyring;
}

/** The text or mail that carries an invite, whose state is the delivery of the invite. */
type InviteDelivery = { smsMessageId: number } | { mailMessageId: number };

/**
 * Queues the text or mail of an invite. The link replaces its placeholder when the message is sent. A text uses the
 * practice's active template, a mail a fixed wording. Quiet hours do not apply, since the visit is at that hour.
 * @throws Failure conflict where the practice has no number to send texts from
 */
export async function queueInvite(db: Db, caller: Caller, message: InviteMessage): Promise<InviteDelivery> {
  const { channel, to, patient, appointmentId, url, keyring } = message;
  const common = { patientId: patient?.id, to, sealed: sealPlaceholders(keyring, { url }) };
  const practice = await db.organization.findUniqueOrThrow({ where: { id: caller.organizationId }, select: { name: true, phone: true } });
  if (channel === 'sms') {
    if (appointmentId !== null) await holdAppointment(db, caller, appointmentId);
    const fromTemplate = await templateText(db, caller, message);
    const body = fromTemplate ?? defaultText(practice, patient);
    const about = { appointmentId: appointmentId ?? undefined, namesStart: fromTemplate !== null };
    const text = await queueText(db, caller, { ...common, ...about, body, urgent: true });
    return { smsMessageId: text.id };
  }
  const name = nameInSubject(practice.name);
  const person = patient && greetingName(patient);
  const greeting = !person ? '' : `Hello ${person},\n\n`;
  const { id } = await queueMail(db, caller, {
    ...common,
    subject: `Your video visit with ${name}`,
    body: `${greeting}${name} is ready for your video visit. Open this link in a browser with a camera and a microphone:\n\n{{url}}\n\nThe link is yours alone: please pass it on to nobody.\n`,
  });
  return { mailMessageId: id };
}

const defaultText = (practice: { name: string; phone: string | null }, patient: Recipient | null): string =>
  renderTemplate(DEFAULT_TEXT, { ...practiceValues(practice), ...(patient ? patientNameValues(patient) : {}), url: '{{url}}' }).text;

/** Null where the practice has no active template, and for a template without the link or too long with it. */
async function templateText(db: Db, caller: Caller, { patient, appointmentId, url }: InviteMessage): Promise<string | null> {
  const template = await db.smsTemplate.findFirst({
    where: { organizationId: caller.organizationId, category: CATEGORY, active: true, deletedAt: null, tracksResponse: false },
  });
  if (!template) return null;
  const occasion = { patientId: patient?.id, appointmentId: appointmentId ?? undefined, url: '{{url}}' };
  const { text } = await renderWithContext(db, caller, template, occasion);
  return text.includes('{{url}}') && text.replaceAll('{{url}}', () => url).length <= MAX_TEXT_LENGTH ? text : null;
}

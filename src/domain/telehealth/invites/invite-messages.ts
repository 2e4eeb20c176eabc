import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { Channel } from '../../messaging/check-ins/check-ins.ts';
import { queueText } from '../../messaging/queue/queued-texts.ts';
import { findRecipientLanguage } from '../../messaging/recipients/recipient-language.ts';
import { queueMail } from '../../messaging/sending/outgoing-mails.ts';
import { renderAutomaticMail, renderAutomaticText } from '../../messaging/templates/automatic-texts.ts';
import { sealPlaceholders } from '../../messaging/templates/sealed-placeholders.ts';
import { findPlaceholderValues } from '../../messaging/templates/template-values.ts';
import type { Reach } from '../../patients/guardians/reach.ts';
import { lockAppointment } from '../../scheduling/appointment/appointment-lock.ts';
import { readAppointment } from '../../scheduling/appointment/appointment-reader.ts';
import type { Appointment } from '../../scheduling/appointment/appointment-view.ts';
import type { Tx } from '../../tx.ts';

interface InviteMessage {
  channel: Channel;
  to: string;
  patient: Reach | null;
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
export async function queueInvite(tx: Tx, message: InviteMessage): Promise<InviteDelivery> {
  const { channel, to, patient, appointmentId, url, keyring } = message;
  const common = { patientId: patient?.id, to, sealed: sealPlaceholders(keyring, { url }) };
  if (channel === 'sms' && appointmentId !== null) await lockAppointment(tx, appointmentId);
  const appointment = await findOwnAppointment(tx, message);
  const occasion = {
    language: await findRecipientLanguage(tx, patient?.id ?? null),
    values: await findPlaceholderValues(tx, { patientId: patient?.id, appointment }),
    secrets: { url },
  };
  if (channel === 'sms') {
    const written = await renderAutomaticText(tx, 'telehealth', occasion);
    const about = { appointmentId: appointmentId ?? undefined, namesStart: written.templateId !== undefined };
    const text = await queueText(tx, { ...common, ...about, ...written, urgent: true });
    return { smsMessageId: text.id };
  }
  const { id } = await queueMail(tx, { ...common, ...renderAutomaticMail('telehealth', occasion) });
  return { mailMessageId: id };
}

/** The appointment, where it is the invited patient's own: to anybody else, nothing of it is said. */
async function findOwnAppointment(
  tx: Tx,
  { appointmentId, patient }: Pick<InviteMessage, 'appointmentId' | 'patient'>,
): Promise<Appointment | undefined> {
  if (appointmentId === null || patient === null) return undefined;
  const appointment = await readAppointment(tx, appointmentId, 'appointmentId');
  return appointment.patientId === patient.id ? appointment : undefined;
}

import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { Tx } from '../../tx.ts';
import { runAndRollBack } from '../../unit-of-work/dry-run.ts';
import { nowIn } from '../../values/test-practices.ts';
import { findShownAddresses } from '../contacts/restricted-numbers.ts';
import { findRecipientLanguage } from '../recipients/recipient-language.ts';
import { fillSealedPlaceholders } from '../templates/sealed-placeholders.ts';
import { countSegments, type SegmentCount } from '../templates/sms-segments.ts';

export interface MessagePreview {
  channel: 'sms' | 'email';
  /** E.164, or an email address; null for a guardian's whose chart the caller may not see. */
  to: string | null;
  /** The rendered words; the link that the message would get is `{{url}}`. */
  body: string;
  /** With the link in its place; null for a mail. */
  count: SegmentCount | null;
  /** The time at which it would leave: now, or the end of the recipient's quiet hours. */
  sendsAt: Date;
  /** BCP 47 tag of the language of the wording; for words of a person the recipient's: the patient's, else the practice's. */
  language: string;
}

/** The text or mail that was queued. */
export interface QueuedMessage {
  smsMessageId: number | null;
  mailMessageId: number | null;
}

export const queuedText = ({ id }: { id: number }): QueuedMessage => ({ smsMessageId: id, mailMessageId: null });

/**
 * Finds out what sending would do, and does not do it.
 * @param send queues the message in the given transaction
 * @throws Failure as sending
 */
export const previewMessage = (
  tx: Tx,
  keyring: Keyring,
  send: () => Promise<QueuedMessage>,
  now = nowIn(tx.organizationId),
): Promise<MessagePreview> =>
  runAndRollBack(tx, async () => {
    const { smsMessageId, mailMessageId } = await send();
    return smsMessageId === null ? readMail(tx, mailMessageId, now) : readText(tx, keyring, smsMessageId, now);
  });

async function readText(tx: Tx, keyring: Keyring, id: number, now: Date): Promise<MessagePreview> {
  const text = await tx.prisma.smsMessage.findUniqueOrThrow({ where: tx.key(id) });
  const [to = null] = await findShownAddresses(tx, [{ ...text, to: text.toNumber }]);
  return {
    channel: 'sms',
    to,
    body: text.body,
    count: countSegments(fillSealedPlaceholders(keyring, 'text', text)),
    sendsAt: text.notBefore ?? now,
    language: text.language ?? (await findLanguage(tx, text.patientId)),
  };
}

async function readMail(tx: Tx, id: number | null, now: Date): Promise<MessagePreview> {
  const mail = await tx.prisma.mailMessage.findUniqueOrThrow({ where: tx.key(id ?? 0) });
  const { own: language } = await findRecipientLanguage(tx, mail.patientId);
  const [to = null] = await findShownAddresses(tx, [{ ...mail, to: mail.toAddress }]);
  return { channel: 'email', to, body: mail.body, count: null, sendsAt: mail.notBefore ?? now, language };
}

async function findLanguage(tx: Tx, patientId: number | null): Promise<string> {
  const { patient, practice } = await findRecipientLanguage(tx, patientId);
  return patient ?? practice;
}

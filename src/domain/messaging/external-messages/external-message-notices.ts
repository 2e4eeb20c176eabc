import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/keyring.ts';
import type { Caller } from '../../caller.ts';
import type { LinkPractice } from '../../practices/link-practice.ts';
import { queueMail } from '../outgoing-mails.ts';
import { formatMoment } from '../templates/placeholder-values.ts';
import { sealPlaceholders } from '../templates/sealed-placeholders.ts';
import { queueText } from '../texts/outgoing-texts.ts';
import type { Address } from './external-message-recipients.ts';
import { CODE_MINUTES } from './one-time-codes.ts';

/** The text or mail that carries a notice; its row has the delivery status. */
export interface NoticeMessageIds {
  smsMessageId: number | null;
  mailMessageId: number | null;
}

export interface Notice {
  keyring: Keyring;
  practice: Pick<LinkPractice, 'name' | 'timeZone'>;
  /** Address of the page. */
  url: string;
  /** The patient whose chart may suppress the notice; null for a recipient without a chart. */
  patientId: number | null;
  address: Address;
  expiresAt: Date;
  asksForCode: boolean;
}

/**
 * Queues the notice that a message is waiting, with its link. It contains nothing of the message: subjects, too, may
 * reveal something of a patient.
 * @throws Failure conflict where the practice has no number to send texts from
 */
export function queueNotice(
  db: Db,
  caller: Caller,
  { practice, expiresAt, asksForCode, url, ...notice }: Notice,
): Promise<NoticeMessageIds> {
  return queue(db, caller, { ...notice, ...noticeContent(practice, expiresAt, asksForCode), secrets: { url }, requested: false });
}

/** The notice as a text and as a mail; `{{url}}` stands for the link. */
export function noticeContent(practice: Pick<LinkPractice, 'name' | 'timeZone'>, expiresAt: Date, asksForCode: boolean): NoticeContent {
  const until = formatMoment(expiresAt, practice.timeZone);
  const hint = asksForCode ? ' You will be asked for a code, which we send you then.' : '';
  return {
    subject: `A message from ${practice.name}`,
    text: `${practice.name} has a message for you: {{url}} It can be opened until ${until}.${hint}`,
    mail: `${practice.name} has a message for you:\n\n{{url}}\n\nIt can be opened until ${until}.${hint}\n`,
  };
}

interface NoticeContent {
  /** Subject of the mail. */
  subject: string;
  text: string;
  mail: string;
}

export interface CodeNotice extends Pick<Notice, 'keyring' | 'practice' | 'patientId' | 'address'> {
  code: string;
}

export async function queueCode(db: Db, caller: Caller, { practice, code, ...notice }: CodeNotice): Promise<void> {
  const words = `{{code}} is your code for the message from ${practice.name}. It works for ${CODE_MINUTES} minutes.`;
  const warning = 'Give it to nobody: we never ask for it by telephone.';
  await queue(db, caller, {
    ...notice,
    subject: `Your code for the message from ${practice.name}`,
    text: `${words} ${warning}`,
    mail: `${words}\n\n${warning}\n`,
    secrets: { code },
    requested: true,
  });
}

interface OutgoingNotice extends NoticeContent, Pick<Notice, 'keyring' | 'patientId' | 'address'> {
  secrets: { url: string } | { code: string };
  /** Requested by someone who is waiting for it: quiet hours do not apply. */
  requested: boolean;
}

async function queue(
  db: Db,
  caller: Caller,
  { keyring, patientId, address, secrets, requested, ...words }: OutgoingNotice,
): Promise<NoticeMessageIds> {
  const { channel, to } = address;
  const common = { to, sealed: sealPlaceholders(keyring, secrets), patientId: patientId ?? undefined };
  if (channel === 'sms') {
    const { id } = await queueText(db, caller, { ...common, body: words.text, requested });
    return { smsMessageId: id, mailMessageId: null };
  }
  const { id } = await queueMail(db, caller, { ...common, subject: words.subject, body: words.mail });
  return { smsMessageId: null, mailMessageId: id };
}

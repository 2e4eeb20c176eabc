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

/** Which row says what became of a notice. */
export interface NoticeMessageIds {
  smsMessageId: number | null;
  mailMessageId: number | null;
}

export interface Notice {
  keyring: Keyring;
  practice: LinkPractice;
  /** Of the page. */
  url: string;
  /** Whose chart says whether they may be written to; null for nobody's. */
  patientId: number | null;
  address: Address;
  expiresAt: Date;
  asksForCode: boolean;
}

/**
 * Tells somebody that there is a message, and where. Nothing of what it is about: subjects, too, may say something of a patient.
 * @throws Failure conflict where the practice has no number to send texts from
 */
export function queueNotice(
  db: Db,
  caller: Caller,
  { practice, expiresAt, asksForCode, url, ...notice }: Notice,
): Promise<NoticeMessageIds> {
  return queue(db, caller, { ...notice, ...noticeContent(practice, expiresAt, asksForCode), secrets: { url }, requested: false });
}

/** What a notice says, as a text or as a mail; `{{url}}` stands for the link. */
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
  /** Of the mail. */
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
  /** Somebody waits for it: quiet hours do not hold it. */
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

import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/keyring.ts';
import type { Caller } from '../../caller.ts';
import type { LinkPractice } from '../../practices/link-practice.ts';
import { queueMail } from '../outgoing-mails.ts';
import { readableMoment } from '../templates/placeholder-values.ts';
import { sealSecrets } from '../templates/sealed-placeholders.ts';
import { queueText } from '../texts/outgoing-texts.ts';
import type { Address } from './external-message-recipients.ts';
import { CODE_MINUTES } from './one-time-codes.ts';

/** Which row says what became of a notice. */
export interface SentBy {
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
export function queueNotice(db: Db, caller: Caller, { practice, expiresAt, asksForCode, url, ...notice }: Notice): Promise<SentBy> {
  return queue(db, caller, { ...notice, ...wordsOfNotice(practice, expiresAt, asksForCode), secrets: { url }, asked: false });
}

/** What a notice says, as a text or as a mail; `{{url}}` stands for the link. */
export function wordsOfNotice(practice: Pick<LinkPractice, 'name' | 'timeZone'>, expiresAt: Date, asksForCode: boolean): Words {
  const until = readableMoment(expiresAt, practice.timeZone);
  const hint = asksForCode ? ' You will be asked for a code, which we send you then.' : '';
  return {
    subject: `A message from ${practice.name}`,
    text: `${practice.name} has a message for you: {{url}} It can be opened until ${until}.${hint}`,
    mail: `${practice.name} has a message for you:\n\n{{url}}\n\nIt can be opened until ${until}.${hint}\n`,
  };
}

interface Words {
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
    asked: true,
  });
}

interface Outgoing extends Words, Pick<Notice, 'keyring' | 'patientId' | 'address'> {
  secrets: { url: string } | { code: string };
  /** Somebody waits for it: quiet hours do not hold it. */
  asked: boolean;
}

async function queue(db: Db, caller: Caller, { keyring, patientId, address, secrets, asked, ...words }: Outgoing): Promise<SentBy> {
  const { channel, to } = address;
  const common = { to, sealed: sealSecrets(keyring, secrets), patientId: patientId ?? undefined };
  if (channel === 'sms') {
    const { id } = await queueText(db, caller, { ...common, body: words.text, asked });
    return { smsMessageId: id, mailMessageId: null };
  }
  const { id } = await queueMail(db, caller, { ...common, subject: words.subject, body: words.mail });
  return { smsMessageId: null, mailMessageId: id };
}

import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { LinkPractice } from '../../practices/link-practice.ts';
import type { Tx } from '../../tx.ts';
import type { InEachLanguage } from '../../values/languages.ts';
import { queueText } from '../queue/queued-texts.ts';
import { findRecipientLanguage, type RecipientLanguage } from '../recipients/recipient-language.ts';
import { queueMail } from '../sending/outgoing-mails.ts';
import { longMoment } from '../templates/appointment-times.ts';
import { type AutomaticMail, renderAutomaticMail, renderAutomaticText, type TextOccasion } from '../templates/automatic-texts.ts';
import { practiceValues } from '../templates/placeholder-values.ts';
import { type SecretPlaceholders, sealPlaceholders } from '../templates/sealed-placeholders.ts';
import type { Address } from './external-message-recipients.ts';
import { CODE_MINUTES } from './one-time-codes.ts';

/** The text or mail that carries a notice; its row has the delivery status. */
export interface NoticeMessageIds {
  smsMessageId: number | null;
  mailMessageId: number | null;
}

export interface Notice {
  keyring: Keyring;
  practice: Pick<LinkPractice, 'name' | 'phone' | 'timeZone'>;
  /** Address of the page. */
  url: string;
  /** The patient whose chart may suppress the notice; null for a recipient without a chart. */
  patientId: number | null;
  address: Address;
  expiresAt: Date;
  asksForCode: boolean;
  /** The time at which it leaves; now unless given. */
  sendAt?: Date | undefined;
  /** Of the recipient. */
  language: RecipientLanguage;
}

/**
 * Queues the notice that a message is waiting, with its link. It contains nothing of the message: subjects, too, may
 * reveal something of a patient.
 * @throws Failure conflict where the practice has no number to send texts from
 */
export function queueNotice(tx: Tx, { url, practice, expiresAt, asksForCode, language, ...notice }: Notice): Promise<NoticeMessageIds> {
  const occasion = { ...noticeOccasion({ practice, expiresAt, asksForCode, language }), secrets: { url } };
  return queue(tx, { ...notice, category: 'external-message', occasion, requested: false });
}

type NoticeContent = Pick<Notice, 'practice' | 'expiresAt' | 'asksForCode' | 'language'>;

/** The notice as a mail; `{{url}}` stands for the link. */
export const noticeMail = (content: NoticeContent): AutomaticMail =>
  renderAutomaticMail('external-message', { ...noticeOccasion(content), secrets: { url: '' } });

const noticeOccasion = ({ practice, expiresAt, asksForCode, language }: NoticeContent): TextOccasion => ({
  language,
  values: ({ tag }) => ({ ...practiceValues(practice), expires: longMoment(expiresAt, practice.timeZone, tag) }),
  addition: asksForCode ? ASKS_FOR_CODE : undefined,
});

const ASKS_FOR_CODE: InEachLanguage = {
  en: 'You will be asked for a code, which we send you when you open it.',
  es: 'Le pediremos un código, que le enviaremos en ese momento.',
};

export interface CodeNotice extends Pick<Notice, 'keyring' | 'practice' | 'patientId' | 'address'> {
  code: string;
  /** Of the page that asks for it; else the patient's. */
  language?: RecipientLanguage;
}

export async function queueCode(tx: Tx, { practice, code, language: asked, ...notice }: CodeNotice): Promise<void> {
  const language = asked ?? (await findRecipientLanguage(tx, notice.patientId));
  const values = () => ({ ...practiceValues(practice), minutes: String(CODE_MINUTES) });
  const occasion = { language, values, secrets: { code } };
  await queue(tx, { ...notice, category: 'external-message-code', occasion, requested: true });
}

interface OutgoingNotice extends Pick<Notice, 'keyring' | 'patientId' | 'address' | 'sendAt'> {
  category: 'external-message' | 'external-message-code';
  occasion: TextOccasion & { secrets: SecretPlaceholders };
  /** Requested by someone who is waiting for it: quiet hours do not apply. */
  requested: boolean;
}

async function queue(
  tx: Tx,
  { keyring, patientId, address, category, occasion, requested, sendAt }: OutgoingNotice,
): Promise<NoticeMessageIds> {
  const { channel, to } = address;
  const common = { to, sealed: sealPlaceholders(keyring, occasion.secrets), patientId: patientId ?? undefined, sendAt };
  if (channel === 'sms') {
    const { id } = await queueText(tx, { ...common, ...(await renderAutomaticText(tx, category, occasion)), requested });
    return { smsMessageId: id, mailMessageId: null };
  }
  const { id } = await queueMail(tx, { ...common, ...renderAutomaticMail(category, occasion) });
  return { smsMessageId: null, mailMessageId: id };
}

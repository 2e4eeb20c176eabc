import { NONE } from '../../../database/statements/no-id.ts';
import type { SmsMessage } from '../../../generated/prisma/client.ts';
import { GUARDED_BY_NUMBER } from '../../patients/guardians/reached.sql.ts';
import type { Tx } from '../../tx.ts';
import type { InEachLanguage } from '../../values/languages.ts';
import type { ConsentReading, Keyword } from '../answers/consent-reading.ts';
import { callbackNumber } from '../queue/callback-number.ts';
import { findTextFacts, insertText } from '../queue/queued-texts.ts';
import { recordOptIn, recordOptOut } from '../recipients/consent.ts';
import { recipientLanguage } from '../recipients/recipient-language.ts';

/**
 * Records opt-out or opt-in and replies once, as law and carriers require: with the practice's name and how to proceed.
 * @param wasOut the number had opted out before
 * @param isReplied the carrier has replied
 */
export async function handleKeyword(
  tx: Tx,
  { keyword }: ConsentReading,
  { fromNumber, toNumber, patientId, body }: SmsMessage,
  { wasOut, isReplied }: { wasOut: boolean; isReplied: boolean },
): Promise<void> {
  const number = fromNumber ?? '';
  const given = { number, keyword: body.trim().slice(0, 40), source: 'text' } as const;
  if (keyword !== 'help') {
    // The word of a guardian holds for the patients of whom they are told.
    const guarded = await tx.rows(GUARDED_BY_NUMBER, [number]);
    const patientIds = guarded.map(({ id }) => id);
    await (keyword === 'stop' ? recordOptOut : recordOptIn)(tx, given, patientIds);
  }
  // A repeated STOP was answered the first time.
  if (isReplied || (keyword === 'stop' && wasOut)) return;
  if (number === '' || number === toNumber) return;
  const facts = await findTextFacts(tx, { patientId: patientId ?? NONE, to: number });
  const { own: language } = recipientLanguage(facts.patientLanguage, facts.practiceLanguage);
  const reply = REPLIES[keyword][language](facts.practice, callbackNumber({ phone: facts.practicePhone }, toNumber));
  insertText(tx, facts, { to: number, body: reply, language, replyFromNumber: toNumber, patientId: patientId ?? undefined });
}

type Reply = (name: string, phone: string) => string;

const REPLIES: Record<Keyword, InEachLanguage<Reply>> = {
  stop: {
    en: (name) => `${name}: you will get no more texts from us. Reply START to get texts again.`,
    es: (name) => `${name}: no recibirá más mensajes de texto nuestros. Responda START para volver a recibirlos.`,
  },
  start: {
    en: (name) => `${name}: you will get texts from us again. Reply STOP to end them, HELP for help.`,
    es: (name) => `${name}: volverá a recibir nuestros mensajes de texto. Responda STOP para no recibirlos, AYUDA para pedir ayuda.`,
  },
  help: {
    en: (name, phone) => `${name}: call ${phone} for help. Message and data rates may apply. Reply STOP to get no more texts.`,
    es: (name, phone) =>
      `${name}: si necesita ayuda, llame al ${phone}. Pueden aplicarse cargos por mensajes y datos. Responda STOP para no recibir más mensajes.`,
  },
};

import type { Db } from '../../../database/database.ts';
import type { SmsMessage } from '../../../generated/prisma/client.ts';
import type { Caller } from '../../caller.ts';
import type { InEachLanguage } from '../../values/languages.ts';
import { isOptedOut, recordOptIn, recordOptOut } from '../consent.ts';
import { findRecipientLanguage } from '../recipient-language.ts';
import { callbackNumber } from './callback-number.ts';
import type { ConsentReading, Keyword } from './consent-reading.ts';
import { queueText } from './queued-texts.ts';

/** Records opt-out or opt-in and replies once, as law and carriers require: with the practice's name and how to proceed. */
export async function handleKeyword(
  db: Db,
  caller: Caller,
  { keyword }: ConsentReading,
  { fromNumber, toNumber, patientId, body }: SmsMessage,
): Promise<void> {
  const number = fromNumber ?? '';
  const wasOut = await isOptedOut(db, caller, number);
  const given = { number, keyword: body.trim().slice(0, 40), source: 'text' } as const;
  if (keyword === 'stop') await recordOptOut(db, caller, given);
  if (keyword === 'start') await recordOptIn(db, caller, given);
  // A repeated STOP was answered the first time.
  if (keyword === 'stop' && wasOut) return;
  if (number === '' || number === toNumber) return;
  const { name, phone } = await db.organization.findUniqueOrThrow({
    where: { id: caller.organizationId },
    select: { name: true, phone: true },
  });
  const { own } = await findRecipientLanguage(db, caller, patientId);
  const reply = REPLIES[keyword][own](name, callbackNumber({ phone }, toNumber));
  await queueText(db, caller, { to: number, body: reply, language: own, replyFromNumber: toNumber, patientId: patientId ?? undefined });
}

type Reply = (name: string, phone: string) => string;

const REPLIES: Record<Keyword, InEachLanguage<Reply>> = {
  stop: {
    en: (name) => `${name}: you will get no more texts from us. Reply START to get them again.`,
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

import type { ConfirmationAnswer } from '../../scheduling/confirmation.ts';
import { type ConsentReading, readConsent } from './consent-reading.ts';

const ANSWERS: Record<Exclude<ConfirmationAnswer, 'Pending'>, readonly string[]> = {
  Yes: ['Y', 'YES', 'YEP', 'YEAH', 'OK', 'OKAY', 'CONFIRM', 'CONFIRMED', 'C', '1', 'SI', 'SÍ', 'S'],
  No: ['N', 'NO', 'NOPE', 'DECLINE', 'DECLINED', '2'],
};

/** Polite words around a keyword that do not change its meaning. */
const POLITE_WORDS = /^(?:PLEASE |POR FAVOR )?(.+?)(?: PLEASE| THANKS| THANK YOU| THX| POR FAVOR| GRACIAS)?$/;

/** Normalizes a text: upper case, without punctuation and polite words. */
const normalize = (body: string): string =>
  body
    .normalize('NFC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(POLITE_WORDS, '$1');

const findIn = <K extends string>(lists: Record<K, readonly string[]>, text: string): K | null => {
  for (const name in lists) if (lists[name].includes(text)) return name;
  return null;
};

/**
 * What a text says about texts (see readConsent). YES and a phrase that only asks for texts again are consent after an opt-out alone;
 * otherwise YES is an answer, and the phrase is for a person.
 */
export function keywordOf(body: string, hasOptedOut: boolean): ConsentReading | null {
  if (hasOptedOut && normalize(body) === 'YES') return { keyword: 'start', sure: true };
  const reading = readConsent(body);
  return reading?.keyword === 'start' && !reading.sure && !hasOptedOut ? null : reading;
}

/** The answer to a yes-or-no question, in its usual spellings; null for any other text. */
export function answerOf(body: string): 'Yes' | 'No' | null {
  return findIn(ANSWERS, normalize(body));
}

import { type ConsentReading, readConsent } from './consent-reading.ts';

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

/**
 * Reads whether a text asks for an end of texts, for texts again, or for help (see readConsent). YES and a phrase that only asks for texts again are consent after an opt-out alone;
 * otherwise YES is an answer, and the phrase is for a person.
 */
export function keywordOf(body: string, hasOptedOut: boolean): ConsentReading | null {
  if (hasOptedOut && normalize(body) === 'YES') return { keyword: 'start', sure: true };
  const reading = readConsent(body);
  return reading?.keyword === 'start' && !reading.sure && !hasOptedOut ? null : reading;
}

import { foldWords } from '../../../values/same-text.ts';
import { type ConsentReading, readConsent } from './consent-reading.ts';
import { ownWords, withoutSignature } from './own-words.ts';

/** YES with polite words around it. */
const YES = /^(?:please |por favor )?yes(?: please| thanks| thank you| thx| por favor| gracias)?$/;

/**
 * Reads whether a text asks for an end of texts, for texts again, or for help (see readConsent). YES and a phrase that only asks for texts
 * again are consent after an opt-out alone; otherwise YES is an answer, and the phrase is for a person.
 */
export function keywordOf(body: string, hasOptedOut: boolean, asked = false): ConsentReading | null {
  if (hasOptedOut && YES.test(foldWords(withoutSignature(ownWords(body))))) return { keyword: 'start', sure: true };
  const reading = readConsent(body, asked);
  return reading?.keyword === 'start' && !reading.sure && !hasOptedOut ? null : reading;
}

import { foldWords } from '../../values/same-text.ts';
import { type ConsentReading, readConsent, withoutPoliteWords } from './consent-reading.ts';
import { keepOwnWords, withoutSignature } from './own-words.ts';

/**
 * Reads whether a text asks for an end of texts, for texts again, or for help (see readConsent). YES and a phrase that only asks for texts
 * again are consent after an opt-out alone; otherwise YES is an answer, and the phrase is for a person.
 */
export function readKeyword(body: string, hasOptedOut: boolean, asked = false): ConsentReading | null {
  const saysYes = () => withoutPoliteWords(foldWords(withoutSignature(keepOwnWords(body)))) === 'yes';
  if (hasOptedOut && saysYes()) return { keyword: 'start', sure: true };
  const reading = readConsent(body, asked);
  return reading?.keyword === 'start' && !reading.sure && !hasOptedOut ? null : reading;
}

/** A text without its lines that end texts: "Yes" above "STOP" is an answer too. The whole text where nothing else is said. */
export function withoutStopLines(said: string): string {
  const rest = said.split('\n').filter((line) => line.trim() !== '' && readConsent(line)?.keyword !== 'stop');
  return rest.length === 0 ? said : rest.join('\n');
}

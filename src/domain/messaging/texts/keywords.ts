import type { ConfirmationAnswer } from '../../scheduling/confirmation.ts';

export type Keyword = 'stop' | 'start' | 'help';

const KEYWORDS: Record<Keyword, readonly string[]> = {
  stop: ['STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT', 'OPT OUT', 'ARRET', 'ALTO', 'PARAR'],
  start: ['START', 'UNSTOP', 'OPTIN', 'OPT IN'],
  help: ['HELP', 'INFO', 'AYUDA'],
};

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
 * The keyword that a text consists of, in its usual spellings; null where it says more. YES is an opt-in only after an
 * opt-out; otherwise it is an answer.
 */
export function keywordOf(body: string, hasOptedOut: boolean): Keyword | null {
  const text = normalize(body);
  return hasOptedOut && text === 'YES' ? 'start' : findIn(KEYWORDS, text);
}

/** The answer to a yes-or-no question, in its usual spellings; null for any other text. */
export function answerOf(body: string): 'Yes' | 'No' | null {
  return findIn(ANSWERS, normalize(body));
}

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

/** What people say around a word without changing it. */
const POLITE_WORDS = /^(?:PLEASE |POR FAVOR )?(.+?)(?: PLEASE| THANKS| THANK YOU| THX| POR FAVOR| GRACIAS)?$/;

/** A text as its words alone: capitals, no punctuation around or between them, no courtesy. */
const words = (body: string): string =>
  body
    .normalize('NFC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(POLITE_WORDS, '$1');

const find = <K extends string>(lists: Record<K, readonly string[]>, said: string): K | null => {
  for (const name in lists) if (lists[name].includes(said)) return name;
  return null;
};

/**
 * The keyword that a text is, in its usual spellings; null where it says more than that. YES begins anew only for who had
 * stopped: to all others it is an answer.
 */
export function keywordOf(body: string, hasOptedOut: boolean): Keyword | null {
  const said = words(body);
  return hasOptedOut && said === 'YES' ? 'start' : find(KEYWORDS, said);
}

/** The answer to a question for yes or no, in its usual spellings. */
export function answerOf(body: string): 'Yes' | 'No' | null {
  return find(ANSWERS, words(body));
}

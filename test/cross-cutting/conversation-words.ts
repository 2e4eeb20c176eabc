/** A visit as a text names it: by the minute of its start, which no other visit has, and its hour. */
export interface Named {
  minute: number;
  hour: number;
}

/** Sentences about visits that are no more. */
const IS_OVER = [
  /The visit on [^.]*? was cancelled\./g,
  /There is no visit on [^.]*? any more\./g,
  /La cita del .*? fue cancelada\./g,
  /Ya no hay ninguna cita el .*?[ap]\.m\./g,
];
const CLOCK_TIME = /\b(\d{1,2}):(\d\d)\b/g;

/** The visits that a text names as being to come. */
export function namedIn(body: string): Named[] {
  const rest = IS_OVER.reduce((text, sentence) => text.replaceAll(sentence, ''), body);
  return [...rest.matchAll(CLOCK_TIME)].map(([, hour, minute]) => ({ hour: Number(hour), minute: Number(minute) }));
}

/** Whether a text says that a visit is no more. */
export const isAboutLost = (body: string): boolean => IS_OVER.some((sentence) => body.search(sentence) >= 0);

/** A list to choose from: the answer that is given, and the minute of each entry, the first being 1. */
export interface Choices {
  answer: 'Yes' | 'No';
  minutes: number[];
}

/** The list that a text consists of; null for any other text. */
export function choicesIn(body: string): Choices | null {
  const entries = [...body.matchAll(/\b(\d) (?:for|para el) .*?\b\d{1,2}:(\d\d)\b/g)];
  if (entries.length < 2) return null;
  return {
    answer: /Which visit do you confirm|Qué cita confirma/.test(body) ? 'Yes' : 'No',
    minutes: entries.map(([, , minute]) => Number(minute)),
  };
}

/** Replies to STOP, START and HELP, which leave also after a STOP. */
export const isKeywordReply = (body: string, practice: string): boolean => body.startsWith(`${practice}: `) && /START|STOP/.test(body);

export const isFarewell = (body: string): boolean => /no more texts from us|no recibirá más mensajes/.test(body);

/** Texts of patients by their meaning. */
export const WORDS = {
  yes: ['Y', 'yes', 'ok', 'sí', '👍', 'Claro que sí'],
  no: ['N', 'no', 'No puedo', '👎', 'can’t make it'],
  one: ['1', '1 please'],
  two: ['2'],
  other: ['When do you open?', 'My knee hurts, no idea why', '17', 'gracias', ''],
  stop: ['STOP', 'S.T.O.P.', 'Stop it', 'please stop texting me', 'remove me', 'no me manden más mensajes'],
  start: ['START', 'unstop'],
  help: ['HELP', 'ayuda'],
} as const;
export type Meaning = keyof typeof WORDS;

import { en, type Words } from './words.en.ts';
import { es } from './words.es.ts';

const { lang } = document.documentElement;

/** All texts that the scripts of a visit page write, in the language of the page. Those of the server are in src/pages/patients/visit/visit-words.ts. */
export const WORDS: Words = lang === 'es' ? es : en;

/** The locale of times on the page: the browser's of the page's language, else that of the United States. */
export const LOCALE = navigator.languages.find((tag) => tag.split('-', 1)[0] === lang) ?? `${lang}-US`;

/** The words of a failure or a `closing` message of the server. @param message of the server, in English */
export const failureWords = (code: string, message: string): string => WORDS.failures.byCode[code] ?? WORDS.failures.otherwise ?? message;

/** The message of an error of this page; `otherwise` for one of the browser's, whose words are in any language. */
export const errorWords = (error: unknown, otherwise: string): string =>
  error instanceof Error && !(error instanceof DOMException) && error.message !== '' ? error.message : otherwise;

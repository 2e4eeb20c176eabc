import type { InEachLanguage } from '../../../domain/values/languages.ts';
import { en, type VisitWords } from './visit-words.en.ts';
import { es } from './visit-words.es.ts';

/** Texts of the visit page that the server writes. Those that its script writes are in src/pages/client/words/words.ts. */
export const VISIT_WORDS: InEachLanguage<VisitWords> = { en, es };

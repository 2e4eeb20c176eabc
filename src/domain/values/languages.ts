/** The languages of the server's own words: default texts, and the pages behind links. */
export const LANGUAGES = ['en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A sentence, or anything made of sentences, in each of the server's languages. */
export type InEachLanguage<T = string> = Record<Language, T>;

export const isLanguage = (tag: string): tag is Language => LANGUAGES.some((one) => one === tag);

/** A chart may say that the patient declined to name a language. */
const DECLINED = 'declined';

/**
 * The primary subtag of BCP 47, such as `en`, `es`, `vi` or `chr`, of what a chart or a practice has: ISO 639-1, ISO 639-2 or a tag
 * with a region. Null for none, for a declined answer and for what is no tag.
 */
export function languageTag(written: string | null): string | null {
  const text = (written ?? '').trim().toLowerCase();
  if (text === '' || text === DECLINED) return null;
  try {
    return new Intl.Locale(text.replaceAll('_', '-')).language;
  } catch {
    return null;
  }
}

/** The locale by which dates and times are written in a language: as they are in the United States. */
export const toLocale = (tag: string): string => (isLanguage(tag) ? `${tag}-US` : tag);

const NAMES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** The tag of a language that callers write, as languageTag gives it; null also for a tag that names no language. */
export function readLanguageTag(written: string): string | null {
  const tag = languageTag(written);
  return tag !== null && NAMES.of(tag) !== undefined ? tag : null;
}

import languages from './data/languages.json' with { type: 'json' };

const NAMES = new Map<string, string>(Object.entries(languages.names));
const TERMINOLOGY = new Map<string, string>(Object.entries(languages.bibliographic));

/** Reserved for local use: `qaa` to `qtz`. */
const LOCAL = /^q[a-t][a-z]$/;

/** The name of a language by its ISO 639-2 terminology code (all of them, from the list of the Library of Congress); else null. */
export const languageName = (code: string): string | null => NAMES.get(code) ?? (LOCAL.test(code) ? 'Reserved for local use' : null);

/** The terminology code of what callers write: in any case, or the bibliographic code (`ger` is `deu`). Null for no language. */
export function readLanguage(written: string): string | null {
  const code = written.trim().toLowerCase();
  const terminology = TERMINOLOGY.get(code) ?? code;
  return languageName(terminology) === null ? null : terminology;
}

/** Scripts that put no blanks between words, where words are found inside of others. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

/** The words of a text in lower case without accents, with single blanks between them; hyphens and apostrophes divide words. */
export const foldWords = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Whether a text has a word, or words that follow each other. Case, accents and punctuation are ignored; parts of words do not count. */
export function hasWords(text: string, words: string): boolean {
  const sought = foldWords(words);
  if (sought === '') return false;
  return UNSPACED.test(sought) ? foldWords(text).includes(sought) : ` ${foldWords(text)} `.includes(` ${sought} `);
}

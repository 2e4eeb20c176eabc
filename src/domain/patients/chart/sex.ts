/** M and F in any spelling get the format of the practice API; another word is kept as sent. */
export const readSex = (word: string): string => /^(m|male|f|female)$/i.exec(word)?.[0]?.[0]?.toUpperCase() ?? word;

/**
 * More combining marks in a row than any language has (Stream-Safe Text, UAX #15). Putting them in order takes time that grows with their
 * square. The two voicing marks of half width become some.
 */
const LONG_RUN = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/** `String.normalize` in time that grows with the text's length: of more than 30 combining marks in a row the first 30 are kept. */
export const normalize = (text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string => text.replaceAll(LONG_RUN, '$1').normalize(form);

/** Whether a text has more than 30 combining marks in a row. */
export const hasLongRun = (text: string): boolean => text.search(LONG_RUN) >= 0;

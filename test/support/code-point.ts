import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * Any character of Unicode, as the `unit` of a text. Of the same characters as fast-check's own unit `binary`, which takes most of a
 * second in each process to list them all.
 */
export const codePoint = fc
  .nat(0x10_ff_ff - SURROGATES.count)
  .map((place) => String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count));

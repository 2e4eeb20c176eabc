import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { AvailableNumber, NumberSearch } from './carrier.ts';

/** Numbers reserved for fiction in every area code: 555-0100 to 555-0199. */
const FICTIONAL_LINES = Array.from({ length: 100 }, (_, index) => `55501${String(index).padStart(2, '0')}`);

/** Letters of a telephone keypad: ABC is 2, DEF 3 … */
const KEYPAD: readonly [RegExp, string][] = [
  [/[abc]/g, '2'],
  [/[def]/g, '3'],
  [/[ghi]/g, '4'],
  [/[jkl]/g, '5'],
  [/[mno]/g, '6'],
  [/[pqrs]/g, '7'],
  [/[tuv]/g, '8'],
  [/[wxyz]/g, '9'],
];

/** Fictional numbers that the local carrier sells, in order. Empty for an area code that is not in use. */
export function listInventory({ areaCode, contains = '' }: Omit<NumberSearch, 'limit'>): string[] {
  const pattern = toPattern(contains);
  return FICTIONAL_LINES.map((line) => `+1${areaCode}${line}`)
    .filter((number) => parsePhoneNumberFromString(number)?.isValid())
    .filter((number) => pattern.test(number));
}

/** Whether the local carrier has this number, sold or not. */
export const isInInventory = (number: string): boolean => listInventory({ areaCode: number.slice(2, 5) }).includes(number);

/** Matches anywhere in the number, including its country code. Characters other than digits, letters and stars are ignored. */
function toPattern(contains: string): RegExp {
  const digits = KEYPAD.reduce((left, [letters, digit]) => left.replace(letters, digit), contains.toLowerCase());
  return new RegExp(digits.replaceAll(/[^\d*]/g, '').replaceAll('*', String.raw`\d`));
}

export function toAvailableNumber(number: string): AvailableNumber {
  const [, area, exchange, line] = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(number) ?? [];
  return {
    number,
    friendlyName: `(${area}) ${exchange}-${line}`,
    locality: null,
    region: null,
    capabilities: { voice: true, sms: true, fax: true },
  };
}

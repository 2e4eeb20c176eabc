import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** The country whose numbers are written without a prefix. */
const HOME = 'US';

/** E.164 of a number that could be dialled, or null. Numbers without a country prefix are North American. */
export function readPhone(text: string): string | null {
  const parsed = parsePhoneNumberFromString(text, HOME);
  return parsed?.isPossible() ? parsed.number : null;
}

/** A North American number as its ten digits, any other as E.164. Null stays null. */
export function writePhone(number: string | null): string | null {
  return number === null ? null : /^\+1\d{10}$/.test(number) ? number.slice(2) : number;
}

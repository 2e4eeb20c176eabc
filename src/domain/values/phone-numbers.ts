import { type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Country of numbers that are written without a prefix. */
const HOME = 'US';

/** Ten digits, or E.164 of them: read without the library, since there is only one reading. */
const PLAIN = /^(?:\+1)?[2-9]\d{9}$/;

/**
 * E.164 of a number that could be dialled, or null. Numbers without a country prefix are North American. Words around
 * the number, and an extension, which E.164 cannot hold, make it none; so do zeros of which each reading drops one.
 */
export const readPhone = (text: string): string | null => (PLAIN.test(text) ? `+1${text.slice(-10)}` : (read(text)?.number ?? null));

/** Numbers that people invent to get past a form. */
const MADE_UP = /^\+1(?:\d11\d{7}|\d{3}(?:(\d)\1{6}|4567890))$/;

/**
 * E.164 of a number of the North American Numbering Plan that is in use, or null: not of another country, not of an area
 * code or exchange that is not given out, and not made up (N11 as area code, seven times one digit, 456-7890).
 */
export function readNorthAmericanPhone(text: string): string | null {
  const parsed = read(text);
  if (parsed === null || MADE_UP.test(parsed.number)) return null;
  return parsed.countryCallingCode === '1' && parsed.isValid() ? parsed.number : null;
}

function read(text: string): PhoneNumber | null {
  const parsed = parse(text);
  if (parsed === null || PLAIN.test(text)) return parsed;
  const again = parse(parsed.number);
  return again?.number === parsed.number ? again : null;
}

function parse(text: string): PhoneNumber | null {
  const parsed = parsePhoneNumberFromString(text, { defaultCountry: HOME, extract: false });
  return parsed?.isPossible() && parsed.ext === undefined ? parsed : null;
}

/** A North American number as its ten digits, any other as E.164. Null stays null. */
export function writePhone(number: string | null): string | null {
  return number === null ? null : /^\+1[1-9]\d{9}$/.test(number) ? number.slice(2) : number;
}

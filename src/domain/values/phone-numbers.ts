import { type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { asSeen } from './same-text.ts';

/** Country of numbers that are written without a prefix. */
const HOME = 'US';

/** Ten digits, or E.164 of them: read without the library, since there is only one reading. */
const PLAIN = /^(?:\+1)?[2-9]\d{9}$/;

/**
 * Emergency services, numbers whose calls cost extra and such as cannot be dialled, which nobody can be reached at: 911 and the other
 * N11, 988, 900 and 976 as area code; 976 and N11 as exchange; 555-1212, which is directory assistance in every area; an area code or
 * an exchange that begins with 0 or 1; and one digit ten times.
 */
const SERVICE = /^\+1(?:(?:\d11|988|900|976)\d{7}|\d{3}(?:(?:976|\d11)\d{4}|5551212)|[01]\d{9}|\d{3}[01]\d{6}|(\d)\1{9})$/;

/**
 * E.164 of a number that could be dialled, or null. Numbers without a country prefix are North American. Null for a number
 * with words around it; with an extension, which E.164 cannot hold; and with surplus zeros, of which the library drops one
 * each time it parses: +49 00 30 123456 becomes +49030123456, which becomes +4930123456. Null too for emergency and premium-rate
 * numbers of any country.
 */
export function readPhone(written: string): string | null {
  const text = plainNumber(written);
  const number = PLAIN.test(text) ? `+1${text.slice(-10)}` : (read(text)?.number ?? null);
  return number === null || SERVICE.test(number) ? null : number;
}

/** A number as a person sees it, without the `tel:` of a link. */
const plainNumber = (written: string): string => asSeen(written).replace(/^ ?tel: ?/i, '');

/** Numbers that people invent to get past a form: N11 as area code, one digit seven times, 456-7890. */
const INVENTED = /^\+1(?:\d11\d{7}|\d{3}(?:(\d)\1{6}|4567890))$/;

/**
 * E.164 of a number of the North American Numbering Plan that is in use, or null: not of another country, not of an area
 * code or exchange that is not assigned, and not INVENTED, nor an emergency or premium-rate number.
 */
export function readNorthAmericanPhone(written: string): string | null {
  const text = plainNumber(written);
  const number = PLAIN.test(text) ? `+1${text.slice(-10)}` : (read(text)?.number ?? '');
  if (!/^\+1\d{10}$/.test(number) || INVENTED.test(number) || SERVICE.test(number)) return null;
  return isAssigned(number) ? number : null;
}

/** By area code and exchange, by which numbers are assigned: 1 for those in use, 2 for others, 0 where none was asked for. */
const exchanges = new Uint8Array(1_000_000);

/** Whether area code and exchange of a North American number are in use: the library reads each pair once. */
function isAssigned(number: string): boolean {
  const exchange = Number(number.slice(2, 8));
  exchanges[exchange] ||= parse(number)?.isValid() ? 1 : 2;
  return exchanges[exchange] === 1;
}

function read(text: string): PhoneNumber | null {
  const parsed = parse(text);
  if (parsed === null || PLAIN.test(text)) return parsed;
  const reparsed = parse(parsed.number);
  return reparsed?.number === parsed.number ? reparsed : null;
}

function parse(text: string): PhoneNumber | null {
  const parsed = parsePhoneNumberFromString(text, { defaultCountry: HOME, extract: false });
  if (!parsed?.isPossible() || parsed.ext !== undefined) return null;
  return parsed.countryCallingCode !== '1' && parsed.getType() === 'PREMIUM_RATE' ? null : parsed;
}

/** A North American number as its ten digits, any other as E.164. Null stays null. */
export function writePhone(number: string | null): string | null {
  return number === null ? null : /^\+1[1-9]\d{9}$/.test(number) ? number.slice(2) : number;
}

/** National format for North American numbers, `(910) 555-0123`; international format for others. Empty for null. */
export function formatPhone(number: string | null): string {
  const parsed = number === null ? undefined : parsePhoneNumberFromString(number);
  if (!parsed) return number ?? '';
  return parsed.countryCallingCode === '1' ? parsed.formatNational() : parsed.formatInternational();
}

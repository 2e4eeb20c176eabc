import { z } from 'zod';
import { readState } from '../domain/code-sets/states.ts';
import { BOOKERS } from '../domain/scheduling/free-time/opening-hours.ts';
import { LONGEST_EMAIL } from '../domain/values/email-addresses.ts';
import { readPhone } from '../domain/values/phone-numbers.ts';
import { oneLine } from '../domain/values/text-form.ts';
import { readDay } from '../domain/values/time/time.ts';
import { readTimeZone } from '../domain/values/time/time-zones.ts';
import { readZip } from '../domain/values/zip-codes.ts';
import { multilineText, text as oneLineText } from '../http/wire/wire-types.ts';

/** Shapes of the fields of a practice's file. Each takes what it returns, and null clears a field that may be empty. */

export const text = (longest: number) => oneLineText(longest).min(1);
export const longText = (longest: number) => multilineText(longest).min(1);

/** A text that a function of the domain brings to its one form. */
export function form(read: (written: string) => string | null, otherwise: string) {
  return z.string().transform((written, context) => {
    const value = read(written);
    if (value !== null) return value;
    context.addIssue(otherwise);
    return z.NEVER;
  });
}

export const phone = () => form(readPhone, 'must be a telephone number, such as 919-555-0123 or +44 20 7946 0000');
const state = () => form(readState, 'must be a state or territory of the United States, such as NC or North Carolina');
const zip = () => form(readZip, 'must be five digits, or nine such as 27601-1234');
export const timeZone = () => form(readTimeZone, 'must be a zone of the IANA database, such as America/New_York');
export const email = () => z.string().overwrite(oneLine).toLowerCase().pipe(z.email('must be an email address').max(LONGEST_EMAIL));
export const day = () => z.string().refine((written) => readDay(written) !== null, 'must be a day such as 2026-11-20');
export const clock = () => z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, such as "21:00"');
export const url = () => text(2_000);
/** The name under which a file knows its practice or an item of it, also when that is renamed. */
export const itemKey = () =>
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/, 'must have at most 60 characters: letters, digits, ".", "_" and "-"');
/** The key of a practice. Commands take it in place of an id. */
export const practiceKey = () => itemKey().refine((key) => !/^\d+$/.test(key), 'must not have digits only, as an id has');
/** The name or the key of another item. */
export const reference = () => text(300);

/** Those who may book a time. */
export const bookers = () =>
  z
    .array(z.enum(BOOKERS))
    .min(1)
    .overwrite((given) => BOOKERS.filter((one) => given.includes(one)));

export function whole(least: number, most: number) {
  const error = `must be a whole number from ${least} to ${most}`;
  return z
    .int({ error: ({ input }) => (input === undefined ? undefined : error) })
    .min(least, error)
    .max(most, error);
}

/** The stored precision of measured values: nine digits before the point and three after it. */
export const measured = () =>
  z.number().min(-999_999_999).max(999_999_999).multipleOf(0.001, 'must have at most three digits after the point');

/** Dollars and cents. */
export const dollars = () => z.number().min(0).max(999_999_999).multipleOf(0.01, 'must be an amount such as 25.15');

/** A field of an item, which may be left out. */
export const field = <T extends z.ZodType>(shape: T, description: string) => shape.describe(description).exactOptional();

/** A field that null clears. */
export const clearable = <T extends z.ZodType>(shape: T, description: string) => shape.nullable().describe(description).exactOptional();

export const active = (description: string) => field(z.boolean(), description);

export const address = {
  address1: clearable(text(200), 'Street'),
  address2: clearable(text(200), 'Second line of the address'),
  city: clearable(text(100), 'City'),
  state: clearable(state(), 'Two-letter code, or name of the state'),
  zip: clearable(zip(), 'Five or nine digits'),
  phone: clearable(phone(), 'Telephone number'),
};

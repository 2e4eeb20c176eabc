import { z } from 'zod';
import { readState, STATE_CODES } from '../../domain/code-sets/states.ts';
import { emailShape, LONGEST_EMAIL } from '../../domain/values/email-addresses.ts';
import { readFlag } from '../../domain/values/flags.ts';
import { hasLongRun } from '../../domain/values/normalize.ts';
import { DEFAULT_LIMIT, LARGEST_LIMIT } from '../../domain/values/paging.ts';
import { readNorthAmericanPhone } from '../../domain/values/phone-numbers.ts';
import { countCharacters, isBlank, multiLine, oneLine } from '../../domain/values/text-form.ts';
import { checkBound, readInstant } from '../../domain/values/time/date-range.ts';
import { dayFault, hasBegunSomewhere, ISO_DAY, readDay } from '../../domain/values/time/time.ts';
import { readZip } from '../../domain/values/zip-codes.ts';
import { listFaults } from './checked-shapes.ts';

/** The largest id of people, places and settings: a positive integer of 32 bits. */
const LARGEST_ID = 2_147_483_647;
/** The largest id of records that accumulate with use: 64 bits in the database, and on the wire as far as JSON's integers are exact. */
export const LARGEST_LONG_ID = Number.MAX_SAFE_INTEGER;

/**
 * Patterns by which the documents say which texts pass where the domain reads them, in the syntax that clients of every language
 * know. More spellings are understood than they say, such as letters on a telephone's keys.
 */
const PHONE = '[+(]?\\d[\\d ().+/-]{5,}';
export const PATTERNS = {
  phone: `^${PHONE}$`,
  emailOrPhone: `^([^@\\s]+@[^@\\s]+|${PHONE})$`,
  channelOrAddress: `^(sms|email|[^@\\s]+@[^@\\s]+|${PHONE})$`,
  timeZone: '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$',
  /** A date and time with an offset, or without one. */
  moment: '^\\d{4}-\\d{2}-\\d{2}[T ]\\d{2}:\\d{2}(:[0-5]\\d([.,]\\d{1,9})?)? ?([Zz]|[+-]\\d{2}(:?[0-5]\\d)?)?$',
  /** The beginning of a day, or of a date and time. */
  date: '^\\d{4}-\\d{2}-\\d{2}',
} as const;

/** False for texts that PostgreSQL cannot store (NUL) or would silently change (half of a surrogate pair). */
const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();

/** A bound of a text's length in code points, which is what `maxLength` of the documents counts; zod's own counts the units of UTF-16. */
function atMost(longest: number) {
  const check = z.check<string>(({ value, issues }) => {
    if (value.length > longest && countCharacters(value) > longest)
      issues.push({ code: 'too_big', origin: 'string', maximum: longest, inclusive: true, input: value });
  });
  check._zod.onattach.push((shape) => {
    shape._zod.bag.maximum = longest;
  });
  return check;
}

/**
 * Comes before anything else touches a text: where it fails, nothing does.
 * @param longest code points of the text in its form; before it, a text has at most four times as many units of UTF-16
 */
const inReason = (longest: number) =>
  z.check<string>(({ value: input, issues }) => {
    if (input.length > 4 * longest) issues.push({ code: 'too_big', origin: 'string', maximum: longest, inclusive: true, input });
    else if (hasLongRun(input)) issues.push({ code: 'custom', message: 'has more than 30 combining marks in a row', input });
  });

/** Text of a bounded length that can be stored and is taken as it is sent: a password, a token. */
export const secret = (longest: number) =>
  z.string().check(atMost(longest)).refine(isStorable, 'contains characters that cannot be stored');

/** A text of one line, brought to its one form (domain/values/text-form.ts), of which the length counts. */
export const text = (longest: number, form = oneLine) =>
  z
    .string()
    .check(inReason(longest))
    .overwrite(form)
    .check(atMost(longest))
    .refine(isStorable, 'contains characters that cannot be stored');

/** A text that may have several lines, such as a message. */
export const multilineText = (longest: number) =>
  z
    .string()
    .check(inReason(longest))
    .overwrite(multiLine)
    .check(atMost(longest))
    .refine(isStorable, 'contains characters that cannot be stored');

/** The identifier of a person, a place or a setting, written as a number or as its digits. */
export const id = () => identifier(LARGEST_ID).meta({ format: 'int32' });

/** The identifier of a record that accumulates with use: appointments, messages, sessions, files, notifications and the like. */
export const longId = () => identifier(LARGEST_LONG_ID).meta({ format: 'int64', maximum: LARGEST_LONG_ID });

function identifier(largest: number) {
  const error = integerUpTo(largest);
  return z.preprocess(toNumber(String(largest).length), z.int({ error }).min(1, { error }).max(largest, { error }));
}

/**
 * Reads a text of decimal digits as their number, also with blanks around it, and with an exponent such as `1e2`, as JSON's numbers
 * may be written. Anything else stays as it is, for the shape to refuse.
 * @param longest digits before the exponent or the point, at most
 */
export function toNumber(longest: number): (sent: unknown) => unknown {
  const written = new RegExp(`^\\d{1,${longest}}((\\.\\d{1,16})?e[+-]?\\d{1,2})?$`, 'i');
  return (sent) => (typeof sent === 'string' && written.test(sent.trim()) ? Number(sent) : sent);
}

/** An integer of a range, written as a number or as its digits. */
export function integerBetween(least: number, most: number) {
  const error = `must be an integer from ${least} to ${most}`;
  return z.preprocess(toNumber(String(most).length), z.int(orMissing(error)).min(least, { error }).max(most, { error }));
}

const orMissing = (message: string) => ({ error: ({ input }: { input?: unknown }) => (input === undefined ? undefined : message) });

/** True or false. Every flag of a body or a query is read alike: also 1 and 0, and each of the four as a text. */
export const flag = () => z.preprocess(readFlag, z.boolean(orMissing('must be true or false')));

/** A flag that the documents call an integer: 1 or 0. */
export const bit = () =>
  z.preprocess(readFlag, z.literal([true, false], orMissing('must be 0 or 1'))).meta({ type: 'integer', enum: [0, 1] });

/** A calendar day as Prisma writes it. */
export const day = () =>
  z
    .string()
    .transform(reading(readDay, dayFault(ISO_DAY, 'must be a day such as 1980-02-29')))
    .meta({ format: 'date' });

/** Characters of a date and time with an offset, and some room. */
const LONGEST_BOUND = 40;

/**
 * A bound of a range of time, as it is written: a day or a date-time. Its form is checked here, so that it is named beside other
 * wrong fields; the domain reads it in a zone.
 * @param options `offsets` false where the source document allows none
 */
export const dateBound = (options: { offsets?: boolean } = {}) =>
  checkedText(LONGEST_BOUND, (written) => checkBound(written, 'date', options)).meta({ pattern: PATTERNS.date });

/** The filter of lists that programs ask again and again. */
export const updatedSince = {
  updated_since: text(LONGEST_BOUND)
    .transform(reading(readInstant, 'must be an instant with its offset, such as 2027-04-14T09:30:00Z'))
    .meta({ format: 'date-time' })
    .optional()
    .describe('Only records changed at this instant or later; ISO 8601 with an offset'),
};

/** A text whose form the domain checks when it uses it, and which is checked here too: so it is named beside other wrong fields. */
export const checkedText = (longest: number, check: (written: string) => void) =>
  text(longest).superRefine((written, context) => {
    for (const { code, message } of listFaults(() => check(written))) context.addIssue({ code: 'custom', message, params: { code } });
  });

/** A point in time of a response: `2026-03-08T14:30:00Z`. */
export const instant = () =>
  z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/)
    .meta({ format: 'date-time' });

/** A local time of a response, whose zone is in another field: `2026-03-08T09:30:00`. */
export const localTime = () => z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/);

/** A field whose values are ignored, of any type; the document shows the one of its record. */
export const ignoredId = (description: string) => z.unknown().optional().meta({ type: 'integer', description });

/** A day of a response: `1980-02-29`. */
export const calendarDay = () =>
  z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/)
    .meta({ format: 'date' });

/** A time of day of a response: `21:00`. */
export const timeOfDay = () => z.string().regex(/^\d{2}:\d{2}$/);

/** The shape of a birth date: a day that is not in the future. The domain holds it to the practice's own day. */
export const birthDay = <T extends z.ZodType<Date>>(shape: T) =>
  shape.refine((date) => hasBegunSomewhere(date), 'must not be in the future');

/** A North American telephone number in use, as E.164. Charts hold no others: the practice API's document allows none. */
export const phone = () =>
  text(100)
    .transform(reading(readNorthAmericanPhone, 'must be a North American telephone number in use, such as 9105550123'))
    .meta({ pattern: PATTERNS.phone });

/** A state or territory of the United States as its two letters, which the document shows; its name is understood. */
export const state = () =>
  text(100)
    .transform(reading(readState, 'must be a state or territory such as NC or North Carolina'))
    .meta({ enum: [...STATE_CODES] });

/** An IANA time zone, which the domain reads. @param longest characters */
export const timeZone = (longest: number) => text(longest).meta({ pattern: PATTERNS.timeZone });

/** A date and time with an offset, or without one in a zone that the domain knows, which reads it. @param longest characters */
export const moment = (longest: number) => text(longest).meta({ pattern: PATTERNS.moment });

/** A postal code of the United States, `27601` or `27601-1234`. */
export const zip = () =>
  text(100).transform(reading(readZip, 'must be five digits, or nine such as 27601-1234')).meta({ pattern: '^\\d{5}(-\\d{4})?$' });

export const email = () => text(LONGEST_EMAIL).pipe(emailShape).meta({ format: 'email' });

/** A field that may be left out. Null clears it, and so does an empty text, which forms send for an empty field; white space is empty. */
export const optional = <T extends z.ZodType>(shape: T) =>
  z.preprocess((sent) => (typeof sent === 'string' && isBlank(sent) ? null : sent), shape.nullable()).optional();

/**
 * Values of a request under the domain's names.
 * @param names the name on the wire of each of the domain's fields; the dialect's errors use the same map
 */
export function renameFields<R extends object, N extends Readonly<Record<string, string & keyof R>>>(
  sent: R,
  names: N,
): { [F in keyof N]: R[N[F]] };
export function renameFields(sent: object, names: Readonly<Record<string, string>>): Record<string, unknown> {
  const values = new Map<string, unknown>(Object.entries(sent));
  return Object.fromEntries(Object.entries(names).map(([field, name]) => [field, values.get(name)]));
}

/** Page number and page length, for every list that pages by number. */
export const paging = {
  page: count(1_000_000).default(1).describe('Number of the page, from 1'),
  limit: count(LARGEST_LIMIT).default(DEFAULT_LIMIT).describe('Rows a page'),
};

/** The format of a parameter that is a position, sealed (links.ts): it is opened before a handler has it. */
export const POSITION_FORMAT = 'position';

/** The row after which a page begins, of lists whose rows come, go and move while somebody reads on. */
export const position = {
  after: z
    .string()
    .max(4_000)
    .optional()
    .meta({ format: POSITION_FORMAT, description: 'Position of the page, as in the link `next`; takes precedence over its number' }),
};

/** Paging of such lists. */
export const pagingByPosition = { ...paging, ...position };

/** A number of things, from 1 on. */
export function count(largest: number) {
  const error = integerUpTo(largest);
  const read = toNumber(String(largest).length);
  const readTrimmed = (sent: unknown) => read(typeof sent === 'string' ? sent.trim() : sent);
  return z.preprocess(readTrimmed, z.int({ error }).min(1, { error }).max(largest, { error }));
}

/** One message for every issue of a number except a missing one, which has its own (validation-messages.ts). */
function integerUpTo(largest: number): z.core.$ZodErrorMap {
  return ({ input }) => (input === undefined ? undefined : `must be an integer from 1 to ${largest}`);
}

/** @param otherwise the message for what cannot be read, or what makes it of the text */
export function reading<T>(read: (written: string) => T | null, otherwise: string | ((written: string) => string)) {
  return (written: string, context: z.RefinementCtx<string>): T => {
    const value = read(written);
    if (value !== null) return value;
    context.addIssue(typeof otherwise === 'string' ? otherwise : otherwise(written));
    return z.NEVER;
  };
}

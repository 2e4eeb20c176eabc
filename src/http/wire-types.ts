import { z } from 'zod';
import { DEFAULT_LIMIT, LARGEST_LIMIT } from '../domain/values/paging.ts';
import { readPhone } from '../domain/values/phone-numbers.ts';
import { readDay } from '../domain/values/time.ts';

/** The largest id: identifiers are 32-bit positive integers in every dialect. */
const LARGEST_ID = 2_147_483_647;

/** What PostgreSQL cannot store (NUL) or would silently change (half of a surrogate pair). */
const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();

/** Text of a bounded length that can be stored as it is. */
export const text = (longest: number) => z.string().max(longest).refine(isStorable, 'holds characters that cannot be stored');

/** An identifier, written as a number or as its digits. */
export const id = () => {
  const error = integerUpTo(LARGEST_ID);
  const number = z.int({ error }).min(1, { error }).max(LARGEST_ID, { error });
  return z
    .preprocess((written) => (typeof written === 'string' && /^\d{1,10}$/.test(written) ? Number(written) : written), number)
    .meta({ format: 'int32' });
};

/** A calendar day as Prisma writes it. */
export const day = () => z.string().transform(reading(readDay, 'must be a day such as 1980-02-29')).meta({ format: 'date' });

/** A telephone number as E.164. */
export const phone = () => z.string().transform(reading(readPhone, 'must be a telephone number such as 9105550123'));

/** RFC 5321: 256 octets of a path, less its angle brackets. */
export const LONGEST_EMAIL = 254;

export const email = () => text(LONGEST_EMAIL).pipe(z.email()).meta({ format: 'email' });

/** A field that may be left out. Null clears it, and so does an empty text: forms send that for what nobody filled in. */
export const optional = <T extends z.ZodType>(shape: T) =>
  z.preprocess((sent) => (typeof sent === 'string' && sent.trim() === '' ? null : sent), shape.nullable()).optional();

/**
 * Values of a request under the domain's names.
 * @param names the name on the wire of each of the domain's fields; the dialect's errors use the same map
 */
export function renamed<R extends object, N extends Readonly<Record<string, string & keyof R>>>(
  sent: R,
  names: N,
): { [F in keyof N]: R[N[F]] };
export function renamed(sent: object, names: Readonly<Record<string, string>>): Record<string, unknown> {
  const values = new Map<string, unknown>(Object.entries(sent));
  return Object.fromEntries(Object.entries(names).map(([field, name]) => [field, values.get(name)]));
}

/** Which page of a list, and how long pages are. One way for every list that pages by number. */
export const paging = {
  page: count(1_000_000).default(1).describe('Which page, from 1'),
  limit: count(LARGEST_LIMIT).default(DEFAULT_LIMIT).describe('Rows a page'),
};

function count(largest: number) {
  const error = integerUpTo(largest);
  return z.coerce.number({ error }).int({ error }).min(1, { error }).max(largest, { error });
}

/** One sentence for all that can be wrong with a number; only when it is missing, that is said (wording.ts). */
function integerUpTo(largest: number): z.core.$ZodErrorMap {
  return ({ input }) => (input === undefined ? undefined : `must be an integer from 1 to ${largest}`);
}

function reading<T>(read: (written: string) => T | null, otherwise: string) {
  return (written: string, context: z.RefinementCtx<string>): T => {
    const value = read(written);
    if (value !== null) return value;
    context.addIssue(otherwise);
    return z.NEVER;
  };
}

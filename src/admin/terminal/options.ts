import { isIP } from 'node:net';
import { z } from 'zod';
import { isPath, isPlace, NOT_A_PLACE } from '../../config/checks.ts';
import { emailShape } from '../../domain/values/email-addresses.ts';
import { readPhone } from '../../domain/values/phone-numbers.ts';
import { oneLine } from '../../domain/values/text-form.ts';
import { dayFault, ISO_DAY, readDay } from '../../domain/values/time/time.ts';

/** Schemas shared by options. Each parses the typed text, and has a placeholder for help. */

export const text = (longest: number) =>
  z
    .string()
    .overwrite(oneLine)
    .min(1, 'must not be empty')
    .max(longest, `must have at most ${longest} characters`)
    .refine((value) => value.isWellFormed() && !value.includes('\0'), 'contains characters that cannot be stored')
    .meta({ placeholder: 'text' });

/** The place of backups, or of an archive of the audit. */
export const folderOrBucket = () => text(1_000).refine(isPlace, NOT_A_PLACE).meta({ placeholder: 'folder|s3://bucket/prefix' });

export const folder = (otherwise = 'must be a folder, not an address') =>
  text(1_000).refine(isPath, otherwise).meta({ placeholder: 'folder' });

const LARGEST_ID = 2_147_483_647;
const NOT_AN_ID = 'must be an id: a whole number from 1';

/** @param largest of another kind of ids, up to 2^53 - 1 */
export const id = (largest = LARGEST_ID) =>
  z
    .string()
    .regex(/^\d{1,16}$/, NOT_AN_ID)
    .transform(Number)
    .pipe(z.int().min(1, NOT_AN_ID).max(largest, NOT_AN_ID))
    .meta({ placeholder: 'id' });

/** A telephone number, returned as E.164. */
export const phone = () =>
  z
    .string()
    .transform(reading(readPhone, 'must be a telephone number, such as 919-555-0123 or +44 20 7946 0000'))
    .meta({ placeholder: 'number' });

/** An email address, returned in lower case, as sign-in stores it. */
export const email = () => z.string().overwrite(oneLine).toLowerCase().pipe(emailShape).meta({ placeholder: 'email' });

export const userReference = () =>
  z.union([id(), email()], 'must be an email or an id').meta({ positional: true }).describe('the email they sign in with, or their id');

export const networkAddress = () =>
  z
    .string()
    .refine((text) => isIP(text) !== 0, 'must be an IPv4 or IPv6 address, such as 203.0.113.7')
    .meta({ placeholder: 'address' });

export const choice = <const T extends readonly [string, ...string[]]>(...words: T) => z.enum(words, `must be one of ${words.join(', ')}`);

export const count = (least: number, most: number) => {
  const message = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .pipe(z.int().min(least, message).max(most, message))
    .meta({ placeholder: 'n' });
};

export const limit = (usual: number) =>
  z
    .string()
    .regex(/^\d{1,4}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(1, 'must be from 1 to 1000').max(1_000, 'must be from 1 to 1000'))
    .default(usual)
    .meta({ placeholder: 'n' })
    .describe(`maximum number, up to 1000 (default: ${usual})`);

const DAY_OR_INSTANT = 'must be a day such as 2026-11-20, or an instant such as 2026-11-20T08:00:00Z';

/** A day, which begins at midnight UTC, or an instant with its offset. */
export const since = () => z.string().transform(reading(readSince, DAY_OR_INSTANT)).meta({ placeholder: 'day' });

/** A day or an instant as unparsed text, for commands in which a day begins at midnight in the practice's zone. */
export const moment = () =>
  z
    .string()
    .refine((input) => readSince(input) !== null, DAY_OR_INSTANT)
    .meta({ placeholder: 'day' });

function readSince(input: string): Date | null {
  const instant = z.iso.datetime({ offset: true }).safeParse(input);
  return instant.success ? new Date(instant.data) : readDay(input);
}

export const day = () =>
  z
    .string()
    .transform(reading(readDay, dayFault(ISO_DAY, 'must be a day such as 2026-11-20')))
    .meta({ placeholder: 'day' });

export const patient = () => id().meta({ positional: true }).describe('id of the patient');

/** The id after which the next part of a list starts. */
export const after = () =>
  z
    .string()
    .regex(/^\d{1,9}$/, NOT_AN_ID)
    .transform(Number)
    .default(0)
    .meta({ placeholder: 'id' })
    .describe('only records after this id');

/** @param otherwise the message for what cannot be read, or what makes it of the text */
export function reading<T>(read: (input: string) => T | null, otherwise: string | ((input: string) => string)) {
  return (input: string, context: z.RefinementCtx<string>): T => {
    const value = read(input);
    if (value !== null) return value;
    context.addIssue(typeof otherwise === 'string' ? otherwise : otherwise(input));
    return z.NEVER;
  };
}

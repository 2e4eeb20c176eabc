import { z } from 'zod';

/** The largest id: identifiers are 32-bit positive integers in every dialect. */
const LARGEST_ID = 2_147_483_647;

/** What PostgreSQL cannot store (NUL) or would silently change (half of a surrogate pair). */
const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();

/** Text of a bounded length that can be stored as it is. */
export const text = (longest: number) => z.string().max(longest).refine(isStorable, 'holds characters that cannot be stored');

/** An identifier, written as a number or as its digits. */
export const id = () =>
  z
    .union([z.int(), z.string().regex(/^\d{1,10}$/, 'must be an integer').transform(Number)], { error: 'must be an integer' })
    .pipe(z.int().min(1, 'must be a positive integer').max(LARGEST_ID, 'must be a 32-bit integer'))
    .meta({ type: 'integer', format: 'int32', minimum: 1, maximum: LARGEST_ID });

/** Which page of a list, and how long pages are. One way for every list that pages by number. */
export const paging = {
  page: z.coerce.number().int().min(1).max(1_000_000).default(1).describe('Which page, from 1'),
  limit: z.coerce.number().int().min(1).max(1_000).default(100).describe('Rows a page'),
};

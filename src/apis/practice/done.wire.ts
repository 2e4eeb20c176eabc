import { z } from 'zod';

/** The answer of an operation that is done; what is not done is an error. */
export const Done = z
  .strictObject({ success: z.literal(true).describe('It is done'), message: z.literal('').describe('Empty') })
  .meta({ id: 'Done' });

export const DONE = { success: true, message: '' } as const;

import { z } from 'zod';

/** Whom a record is about, or by. */
export const PersonShape = z.strictObject({ uuid: z.int(), firstname: z.string().nullable(), lastname: z.string().nullable() });

export function fromPerson({ id, firstName, lastName }: { id: number; firstName: string | null; lastName: string | null }) {
  return { uuid: id, firstname: firstName, lastname: lastName };
}

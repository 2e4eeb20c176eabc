import { z } from 'zod';

/** A person whom a record is about, or its author. */
export const PersonShape = z.strictObject({ uuid: z.int(), firstname: z.string().nullable(), lastname: z.string().nullable() });

export function fromPerson({ id, firstName, lastName }: { id: number; firstName: string | null; lastName: string | null }) {
  return { uuid: id, firstname: firstName, lastname: lastName };
}

export const SharedWithShape = z.array(PersonShape).describe('Up to twenty other patients who share a mobile or home number, sorted by id');

import { z } from 'zod';
import type { Db } from '../../database/database.ts';
import { notFound } from '../../domain/errors.ts';
import type { Organization } from '../../domain/practices/organizations.ts';
import { practiceKey } from '../../practice-file/fields.ts';
import { id, reading } from './options.ts';

/** A practice as an operator names it: its id, or the key of its file. */
export type NamedPractice = number | string;

const named = z.union([id(), practiceKey()]);

/** The option `--practice` of every command. */
export const practice = () =>
  z
    .string()
    .transform(reading((typed) => named.safeParse(typed).data ?? null, 'must be the id or the key of a practice'))
    .meta({ placeholder: 'id|key' })
    .describe('id or key of the practice');

/** Several practices: the option repeated, or with commas between them. */
export const practices = () => z.array(practice()).meta({ placeholder: 'id|key', several: true });

/** @throws Failure not_found */
export async function findPractice(db: Db, which: NamedPractice): Promise<Organization> {
  const found = await db.organization.findUnique({ where: typeof which === 'number' ? { id: which } : { key: which } });
  if (!found) throw notFound('practice');
  return found;
}

import type { Db } from '../../database/database.ts';
import type { CallerIdentity } from '../caller.ts';
import { languageTag } from '../values/languages.ts';

/** The language of the caller's practice, as languageTag gives it; English where it has named none. */
export async function practiceLanguage(db: Db, { organizationId: id }: Pick<CallerIdentity, 'organizationId'>): Promise<string> {
  const { languageId } = await db.organization.findUniqueOrThrow({ where: { id }, select: { languageId: true } });
  return languageTag(languageId) ?? 'en';
}

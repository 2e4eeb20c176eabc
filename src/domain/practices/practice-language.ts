import type { PracticeTx } from '../tx.ts';
import { languageTag } from '../values/languages.ts';

/** The language of the caller's practice, as languageTag gives it; English where it has named none. */
export async function practiceLanguage(tx: PracticeTx): Promise<string> {
  const { languageId } = await tx.prisma.organization.findUniqueOrThrow({ where: { id: tx.organizationId }, select: { languageId: true } });
  return languageTag(languageId) ?? 'en';
}

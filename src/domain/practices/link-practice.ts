import type { Db } from '../../database/database.ts';
import type { Organization } from '../../generated/prisma/client.ts';
import type { CallerIdentity } from '../caller.ts';

/** The details of a practice that a patient sees on the page of a link. */
export interface LinkPractice {
  /** On one line. */
  name: string;
  /** E.164. */
  phone: string | null;
  timeZone: string;
}

/** Null when the practice is closed: none of its links works then. */
export async function findLinkPractice(
  db: Db,
  { organizationId: id }: Pick<CallerIdentity, 'organizationId'>,
): Promise<LinkPractice | null> {
  const select = { name: true, phone: true, timeZone: true } as const;
  const practice = await db.organization.findFirst({ where: { id, active: true }, select });
  return practice && toLinkPractice(practice);
}

export const toLinkPractice = ({ name, phone, timeZone }: Pick<Organization, keyof LinkPractice>): LinkPractice => ({
  name: name.replaceAll(/\s+/g, ' ').trim(),
  phone,
  timeZone,
});

import type { Db } from '../../database/database.ts';
import type { Organization } from '../../generated/prisma/client.ts';
import type { CallerIdentity } from '../caller.ts';

/** A practice, as whoever has one of its links may know it. */
export interface LinkPractice {
  /** In one line. */
  name: string;
  /** E.164. */
  phone: string | null;
  timeZone: string;
}

/** Null where the practice was closed: none of its links opens anything then. */
export async function practiceBehindLink(
  db: Db,
  { organizationId: id }: Pick<CallerIdentity, 'organizationId'>,
): Promise<LinkPractice | null> {
  const select = { name: true, phone: true, timeZone: true } as const;
  const practice = await db.organization.findFirst({ where: { id, active: true }, select });
  return practice && asStrangersKnow(practice);
}

export const asStrangersKnow = ({ name, phone, timeZone }: Pick<Organization, keyof LinkPractice>): LinkPractice => ({
  name: name.replaceAll(/\s+/g, ' ').trim(),
  phone,
  timeZone,
});

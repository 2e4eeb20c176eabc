import type { Db } from '../../../database/database.ts';
import type { CallerIdentity } from '../../caller.ts';

/** Whether the caller is a user who looks after restricted charts in the practice. */
export async function isPrivacyOfficer(
  db: Db,
  { organizationId, userId }: Pick<CallerIdentity, 'organizationId' | 'userId'>,
): Promise<boolean> {
  const where = { organizationId_id: { organizationId, id: userId ?? 0 } };
  const user = await db.user.findUnique({ where, select: { privacyOfficer: true } });
  return user?.privacyOfficer === true;
}

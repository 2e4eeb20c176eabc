import type { CallerIdentity } from '../../caller.ts';
import type { PracticeTx } from '../../tx.ts';

/** Whether the caller is a user who looks after restricted charts in the practice. */
export async function isPrivacyOfficer(tx: PracticeTx & Pick<CallerIdentity, 'userId'>): Promise<boolean> {
  const where = tx.key(tx.userId ?? 0);
  const user = await tx.prisma.user.findUnique({ where, select: { privacyOfficer: true } });
  return user?.privacyOfficer === true;
}

import type { PracticeTx } from '../../tx.ts';

/**
 * Whether a user is the only active admin of the caller's practice. The rows of the active admins are held until the transaction
 * ends, so that of two requests that take the last two of them one fails.
 */
export async function isLastActiveAdmin(tx: PracticeTx, userId: number): Promise<boolean> {
  const admins = await tx.prisma.$queryRaw<{ id: number }[]>`
    SELECT id FROM "user"
     WHERE organization_id = ${tx.organizationId}::int AND type = 'admin' AND active
     ORDER BY id
       FOR NO KEY UPDATE`;
  return admins.length === 1 && admins[0]?.id === userId;
}

/** The active admins of the caller's practice, by id. */
export async function listActiveAdmins(tx: PracticeTx): Promise<number[]> {
  const where = { ...tx.practice, active: true, type: 'admin' } as const;
  return (await tx.prisma.user.findMany({ where, orderBy: { id: 'asc' }, select: { id: true } })).map(({ id }) => id);
}

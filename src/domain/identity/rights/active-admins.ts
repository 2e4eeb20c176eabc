import type { Db } from '../../../database/database.ts';
import type { CallerIdentity } from '../../caller.ts';

/**
 * Whether a user is the only active admin of the caller's practice. The rows of the active admins are held until the transaction
 * ends, so that of two requests that take the last two of them one fails.
 */
export async function isLastActiveAdmin(
  db: Db,
  { organizationId }: Pick<CallerIdentity, 'organizationId'>,
  userId: number,
): Promise<boolean> {
  const admins = await db.$queryRaw<{ id: number }[]>`
    SELECT id FROM "user"
     WHERE organization_id = ${organizationId}::int AND type = 'admin' AND active
     ORDER BY id
       FOR NO KEY UPDATE`;
  return admins.length === 1 && admins[0]?.id === userId;
}

/** The active admins of the caller's practice, by id. */
export async function listActiveAdmins(db: Db, { organizationId }: Pick<CallerIdentity, 'organizationId'>): Promise<number[]> {
  const where = { organizationId, active: true, type: 'admin' } as const;
  return (await db.user.findMany({ where, orderBy: { id: 'asc' }, select: { id: true } })).map(({ id }) => id);
}

import type { Db } from '../../database/database.ts';
import type { Organization } from '../../generated/prisma/client.ts';
import type { CallerIdentity } from '../caller.ts';

/** The practices that the calling client may act for, by id: `limit` of them after the first `offset`. Closed practices are excluded. */
export async function listGrantedPractices(
  db: Db,
  { organizationId, userId }: CallerIdentity,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: Organization[]; total: number }> {
  if (userId === null) return { items: [], total: 0 };
  // An interface user belongs to exactly one client.
  const own = await db.apiClientGrant.findFirst({ where: { organizationId, userId }, select: { clientId: true } });
  if (!own) return { items: [], total: 0 };
  const granted = await db.apiClientGrant.findMany({ where: { clientId: own.clientId }, select: { organizationId: true } });
  const where = { id: { in: granted.map((grant) => grant.organizationId) }, active: true };
  const [items, total] = await Promise.all([
    db.organization.findMany({ where, orderBy: { id: 'asc' }, skip: offset, take: limit }),
    db.organization.count({ where }),
  ]);
  return { items, total };
}

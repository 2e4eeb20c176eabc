import type { Organization } from '../../generated/prisma/client.ts';
import type { Tx } from '../tx.ts';

/** The practices that the calling client may act for, by id: `limit` of them after the first `offset`. Closed practices are excluded. */
export async function listGrantedPractices(
  tx: Tx,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: Organization[]; total: number }> {
  const { userId } = tx;
  if (userId === null) return { items: [], total: 0 };
  // An interface user belongs to exactly one client.
  const own = await tx.prisma.apiClientGrant.findFirst({ where: { ...tx.practice, userId }, select: { clientId: true } });
  if (!own) return { items: [], total: 0 };
  const granted = await tx.prisma.apiClientGrant.findMany({ where: { clientId: own.clientId }, select: { organizationId: true } });
  const where = { id: { in: granted.map((grant) => grant.organizationId) }, active: true };
  const [items, total] = await Promise.all([
    tx.prisma.organization.findMany({ where, orderBy: { id: 'asc' }, skip: offset, take: limit }),
    tx.prisma.organization.count({ where }),
  ]);
  return { items, total };
}

import type { Db } from '../../../database/database.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import type { CallerIdentity } from '../../caller.ts';
import { notFound } from '../../errors.ts';

const CALL_GROUP_INCLUDE = {
  members: {
    // Users who have left are not called.
    where: { user: { active: true, type: { not: 'interface' } } },
    orderBy: [{ ringOrder: 'asc' }, { userId: 'asc' }],
    select: {
      ringOrder: true,
      textAlerts: true,
      user: { select: { id: true, firstName: true, lastName: true, phone: true, chatStatus: true, telehealthAvailability: true } },
    },
  },
  numbers: { where: { releasedAt: null }, orderBy: { id: 'asc' } },
} as const satisfies Prisma.ChatInclude;

/** A chat as a call group: its members in ring order and the numbers that ring it. */
export type CallGroup = Prisma.ChatGetPayload<{ include: typeof CALL_GROUP_INCLUDE }>;

/** @throws Failure not_found */
export async function findCallGroup(db: Db, { organizationId }: CallerIdentity, id: number): Promise<CallGroup> {
  const group = await db.chat.findUnique({ where: { organizationId_id: { organizationId, id } }, include: CALL_GROUP_INCLUDE });
  if (!group) throw notFound('chat');
  return group;
}

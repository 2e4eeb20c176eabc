import type { Db } from '../../../database/database.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import type { Caller } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { isOptedOut } from '../recipients/consent.ts';

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

/** A call group. The alerts of a member whose telephone has ended the practice's texts are off. @throws Failure not_found */
export async function findCallGroup(db: Db, caller: Caller, id: number): Promise<CallGroup> {
  const { organizationId } = caller;
  const group = await db.chat.findUnique({ where: { organizationId_id: { organizationId, id } }, include: CALL_GROUP_INCLUDE });
  if (!group) throw notFound('chat');
  const members: CallGroup['members'] = [];
  for (const member of group.members) members.push({ ...member, textAlerts: await areAlertsSent(db, caller, member) });
  return { ...group, members };
}

async function areAlertsSent(db: Db, caller: Caller, { textAlerts, user }: CallGroup['members'][number]): Promise<boolean> {
  return textAlerts && user.phone !== null && !(await isOptedOut(db, caller, user.phone));
}

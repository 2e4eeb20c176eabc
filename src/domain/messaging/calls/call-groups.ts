import type { Prisma } from '../../../generated/prisma/client.ts';
import { notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
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
export async function findCallGroup(tx: Tx, id: number): Promise<CallGroup> {
  const group = await tx.prisma.chat.findUnique({ where: tx.key(id), include: CALL_GROUP_INCLUDE });
  if (!group) throw notFound('chat');
  const members: CallGroup['members'] = [];
  for (const member of group.members) members.push({ ...member, textAlerts: await areAlertsSent(tx, member) });
  return { ...group, members };
}

async function areAlertsSent(tx: Tx, { textAlerts, user }: CallGroup['members'][number]): Promise<boolean> {
  return textAlerts && user.phone !== null && !(await isOptedOut(tx, user.phone));
}

import { recordChange } from '../../audit/journal-entries.ts';
import { conflict } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { requireChat } from '../numbers/practice-numbers.ts';
import { requireConsent } from '../recipients/consent.ts';

/**
 * Whether the caller is texted too when they are notified of the inbox of a call group.
 * @throws Failure not_found for the call group; conflict where the caller is no member
 */
export async function readTextAlerts(tx: Tx, chatId: number): Promise<boolean> {
  await requireChat(tx, chatId);
  const member = await tx.prisma.chatMember.findFirst({
    where: { ...tx.practice, chatId, userId: tx.userId ?? 0 },
    select: { textAlerts: true },
  });
  if (!member) throw conflict('not_a_member', 'You are not a member of this call group.', 'chatId');
  return member.textAlerts;
}

/**
 * Sets it for the caller.
 * @throws Failure as readTextAlerts; conflict where it is turned on by a user without a telephone number, or whose telephone has
 *   ended the practice's texts
 */
export async function setTextAlerts(tx: Tx, chatId: number, isOn: boolean): Promise<boolean> {
  const before = await readTextAlerts(tx, chatId);
  const user = await tx.prisma.user.findFirstOrThrow({ where: { ...tx.practice, id: tx.userId ?? 0 }, select: { id: true, phone: true } });
  if (isOn) {
    if (user.phone === null) throw conflict('no_telephone_number', 'You have no telephone number that can receive texts.');
    await requireConsent(tx, { patientId: null, channel: 'sms', to: user.phone });
  }
  if (before === isOn) return isOn;
  const key = { ...tx.practice, chatId, userId: user.id };
  await tx.prisma.chatMember.update({ where: { organizationId_chatId_userId: key }, data: { textAlerts: isOn }, select: { userId: true } });
  recordChange(tx, 'update', { name: 'user.updated', id: user.id, changed: ['textAlerts'] });
  return isOn;
}

import type { Db } from '../../../../database/database.ts';
import { preparedIn } from '../../../../database/statements/statement.ts';
import type { MessageState, SmsMessage } from '../../../../generated/prisma/client.ts';
import type { Caller } from '../../../caller.ts';
import { notifyUsers } from '../../../notifications/notifications.ts';
import { CONTACT_BY_NUMBER } from '../../contacts/contacts.sql.ts';
import { findMainGroup, type InboxKind, openInboxItem } from '../../inbox/inbox.ts';

export type TextStateChange = { state: MessageState; reason?: string | null; carrierId?: string; sentAt?: Date; deliveredAt?: Date };

/** Shows staff that a text did not reach its recipient: in the inbox, and whoever sent one that was withdrawn by a notification. */
export async function tellStaff(db: Db, caller: Caller, message: SmsMessage, change: TextStateChange): Promise<void> {
  const kind = inboxKindOf(message, change);
  const { id, patientId, toNumber: number, sentByUserId } = message;
  const subject = { type: 'text', id };
  if (isWithdrawn(change) && sentByUserId !== null)
    await notifyUsers(db, caller, { kind: 'text.withdrawn', subject, userIds: [sentByUserId] });
  if (kind === null) return;
  const chatId = await findMainGroup(db, caller);
  const [contact] = patientId === null ? await preparedIn(db).rows(CONTACT_BY_NUMBER, [caller.organizationId, number]) : [];
  // A text of before may name a number that the patient no longer has.
  const from = patientId === null || kind !== 'number_changed' ? { number } : {};
  await openInboxItem(db, caller, { kind, subject, contactId: contact?.id ?? null, patientId, chatId, ...from });
}

/** A text that was taken back surprises nobody. */
const isWithdrawn = ({ state, reason }: TextStateChange): boolean => state === 'suppressed' && reason !== 'withdrawn';

/** Of what people are to see to: replies of the server and alerts to staff, which are to no patient, are not. */
function inboxKindOf({ patientId, isReply, urgent, sentByUserId }: SmsMessage, change: TextStateChange): InboxKind | null {
  if (change.reason === 'number_changed') return 'number_changed';
  if (isReply || (patientId === null && urgent)) return null;
  if (change.state === 'failed') return 'text_failed';
  return isWithdrawn(change) && sentByUserId !== null ? 'text_withdrawn' : null;
}

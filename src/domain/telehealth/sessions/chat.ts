import { recordChange, recordReadWithPatients } from '../../audit/journal-entries.ts';
import { type Caller, maySeeRestricted } from '../../caller.ts';
import { conflict, Failure } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { countTotal, type Page, type PageRequest } from '../../values/paging.ts';
import { CHAT_COUNT, CHAT_PAGE, type ChatMessageRow, NEW_MESSAGES, PRESENT_VISIT, WRITE_MESSAGE } from './chat.sql.ts';
import { NAMELESS } from './join-session.ts';
import type { ParticipantMember } from './room-tokens.ts';
import { findSessionId, type SessionKey } from './session-lists.ts';
import { lockSession } from './sessions.ts';
import { notifyRoom } from './signals.ts';

/** The longest message, in characters. */
export const MAX_CHAT_LENGTH = 2_000;
/** A person may write so many messages in so many seconds. */
const MOST = { messages: 20, seconds: 30 } as const;

export type ChatMessage = ChatMessageRow;

/**
 * Stores a message of somebody in the room, for those who are in the same visit.
 * @param written.visit that the writer saw: where another one has begun meanwhile, the message is for nobody in it, and is not kept
 * @throws Failure conflict: not_admitted, visit_changed; too_many_requests
 */
export async function writeChatMessage(
  tx: Tx,
  { sessionId, id }: ParticipantMember,
  { text, visit }: { text: string; visit?: number | undefined },
): Promise<void> {
  // One after the other, so that ids follow the order in which messages can be read, and no message falls into the next visit.
  await lockSession(tx, sessionId);
  const values = [sessionId, id, text, visit ?? null, MOST.seconds, MOST.messages];
  const [kept] = await tx.rows(WRITE_MESSAGE, values);
  if (!kept) {
    const [now] = await tx.rows(PRESENT_VISIT, [sessionId, id]);
    if (!now?.present) throw conflict('not_admitted', 'You are not in the room.');
    if (visit !== undefined && visit !== now.visit) throw conflict('visit_changed', 'Another visit has begun. Your message was not sent.');
    throw new Failure('too_many_requests', 'too_many_messages', 'You are sending messages too fast. Please wait a moment.', {
      retryAfter: MOST.seconds,
    });
  }
  recordChange(tx, 'create', { name: 'session_chat_message.sent', id: kept.id });
  notifyRoom(tx, `session:${sessionId}`, { type: 'chat' });
}

/**
 * The messages of the present visit of somebody who is in it, oldest first. Audited with the patients of the visit.
 * @param after only those with a larger id
 * @returns none to somebody who is not in the visit
 */
export async function readNewChat(tx: Tx, { sessionId, id }: ParticipantMember, after: number): Promise<ChatMessage[]> {
  const messages = await tx.rows(NEW_MESSAGES, [sessionId, id, NAMELESS, after]);
  recordChatRead(tx, messages, 'read');
  return messages;
}

/**
 * The messages of a session, oldest first. Those of visits with a restricted or blocked patient are left out where the caller may
 * not see such charts. Audited with the patients.
 * @throws Failure not_found
 */
export async function listChat(tx: Tx, key: SessionKey, page: PageRequest): Promise<Page<ChatMessage>> {
  const session = [await findSessionId(tx, key), maySeeRestricted(tx)];
  const items = await tx.rows(CHAT_PAGE, [...session, NAMELESS, page.limit, (page.page - 1) * page.limit]);
  recordChatRead(tx, items, 'search');
  return { ...page, items, total: await countTotal(page, items.length, () => tx.rows(CHAT_COUNT, session)) };
}

function recordChatRead(caller: Caller, messages: readonly ChatMessage[], action: 'read' | 'search'): void {
  if (messages.length === 0) return;
  const patientIds = [...new Set(messages.flatMap(({ patient_ids }) => patient_ids))];
  recordReadWithPatients(caller, 'session_chat_message', { ids: messages.map(({ id }) => id), patientIds }, action);
}

import { invalid } from '../../domain/errors.ts';
import { type ChatMessage, MAX_CHAT_LENGTH, readNewChat, writeChatMessage } from '../../domain/telehealth/sessions/chat.ts';
import type { ParticipantConnection } from '../connections/participant-connection.ts';
import type { BrowserMessage } from '../protocol.ts';
import type { ChatLine } from '../room-protocol.ts';

/** The largest id of a message that each connection has, known when the reads before have ended. */
const lastSent = new WeakMap<ParticipantConnection, Promise<number>>();

/** Sends the chat of the present visit to a person who has come in. */
export const sendChat = (connection: ParticipantConnection): Promise<void> => sendAfter(connection, Promise.resolve(0));

/** Sends the messages that were written since the last ones that were sent. */
export async function receiveChat(connection: ParticipantConnection): Promise<void> {
  if (connection.isAdmitted) await sendAfter(connection, lastSent.get(connection) ?? Promise.resolve(0));
}

/** Reads follow each other, so that nothing is sent twice. */
async function sendAfter(connection: ParticipantConnection, before: Promise<number>): Promise<void> {
  const sending = before.catch(() => 0).then((after) => sendNew(connection, after));
  lastSent.set(connection, sending);
  await sending;
}

async function sendNew({ socket, member, identity, deps }: ParticipantConnection, after: number): Promise<number> {
  const messages = await deps.unitOfWork.read(identity, (tx) => readNewChat(tx, member, after));
  const [first] = messages;
  if (!first) return after;
  const lines = messages.map((message) => {
    const { id, participant_id: from, name, text, sent_at: at } = message;
    return { id, from, kind: authorKind(message), name, text, at };
  });
  socket.send({ type: 'chat', visit: first.visit, messages: lines });
  return messages.at(-1)?.id ?? after;
}

const authorKind = ({ role, is_guest }: ChatMessage): ChatLine['kind'] => {
  if (role === 'host') return 'host';
  return is_guest ? 'guest' : 'patient';
};

/** Takes a message of the chat. @throws Failure invalid for an empty one or one that is too long; as writeChatMessage */
export async function handleChat(
  { text, visit }: Extract<BrowserMessage, { type: 'chat' }>,
  { member, identity, deps }: ParticipantConnection,
): Promise<void> {
  if (text === '') throw invalid('text', 'must not be empty', 'empty_message');
  if (text.length > MAX_CHAT_LENGTH) throw invalid('text', `must have at most ${MAX_CHAT_LENGTH} characters`, 'too_long');
  await deps.unitOfWork.write(identity, (tx) => writeChatMessage(tx, member, { text, visit }));
}

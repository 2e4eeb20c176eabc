import { conflict } from '../domain/errors.ts';
import type { ParticipantConnection } from './participant-connection.ts';
import type { BrowserMessage } from './protocol.ts';

/** Sends the chat of the present visit to a person who has come in. */
export async function sendChat(_connection: ParticipantConnection): Promise<void> {}

/** Sends the messages that were written since the last ones that were sent. */
export async function receiveChat(_connection: ParticipantConnection): Promise<void> {}

/** Takes a message of the chat. @throws Failure */
export async function handleChat(_message: Extract<BrowserMessage, { type: 'chat' }>, _connection: ParticipantConnection): Promise<void> {
  throw conflict('not_yet', 'This cannot be done yet.');
}

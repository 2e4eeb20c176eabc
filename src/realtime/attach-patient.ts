import { conflict } from '../domain/errors.ts';
import type { ParticipantConnection } from './participant-connection.ts';
import type { BrowserMessage } from './protocol.ts';

/** A host says which patient a guest is. @throws Failure */
export async function handleAttach(
  _message: Extract<BrowserMessage, { type: 'attach' }>,
  _connection: ParticipantConnection,
): Promise<void> {
  throw conflict('not_yet', 'This cannot be done yet.');
}

import { conflict } from '../domain/errors.ts';
import type { ParticipantConnection } from './participant-connection.ts';
import type { BrowserMessage } from './protocol.ts';

/** Sends what has changed about the requests for stills: to a guest those that wait for an answer, to a host how they stand. */
export async function receiveStills(_connection: ParticipantConnection): Promise<void> {}

/** A host asks a guest for a clinical still. @throws Failure */
export async function handleStill(_message: Extract<BrowserMessage, { type: 'still' }>, _connection: ParticipantConnection): Promise<void> {
  throw conflict('not_yet', 'This cannot be done yet.');
}

/** A guest does not take the still that was asked for. @throws Failure */
export async function handleStillRefused(
  _message: Extract<BrowserMessage, { type: 'still_refused' }>,
  _connection: ParticipantConnection,
): Promise<void> {
  throw conflict('not_yet', 'This cannot be done yet.');
}

import type { Keyring } from '../database/encryption/keyring.ts';
import { ROOM_TOKEN_SECONDS, type RoomMember, signRoomToken } from '../domain/telehealth/sessions/room-tokens.ts';
import { writeInstant } from '../domain/values/time/time.ts';
import type { BrowserSocket } from './connections/browser-socket.ts';

/** Milliseconds between two new room tokens of a connection. */
const TOKEN_INTERVAL_MS = 60_000;

/** A new room token, and until when it is valid. @param entries as of signRoomToken */
export function issueEntryToken(keyring: Keyring, member: RoomMember, entries: number | null): { token: string; token_expires_at: string } {
  const until = Math.floor(Date.now() / 1000) + ROOM_TOKEN_SECONDS;
  return { token: signRoomToken(keyring, 'enter', member, until, entries), token_expires_at: writeInstant(new Date(until * 1000)) };
}

/** Sends a new room token each minute, which enters no socket. @returns the step of a heartbeat */
export function renewToken(socket: BrowserSocket, keyring: Keyring, member: RoomMember): () => void {
  let tokenAt = performance.now();
  return () => {
    if (performance.now() - tokenAt < TOKEN_INTERVAL_MS) return;
    tokenAt = performance.now();
    socket.send({ type: 'token', ...issueEntryToken(keyring, member, null) });
  };
}

/** Seconds in which a browser that waited can say that it did. */
const WAITED_SECONDS = 24 * 3600;

/**
 * The `resume` of a browser in a waiting room: it goes on into the session that it is admitted to.
 * @param entries connections of the visit until now: once another browser takes over its place, the token is of no use any more
 */
export const issueWaitingResume = (keyring: Keyring, member: RoomMember, entries: number): string =>
  signRoomToken(keyring, 'resume', member, Math.floor(Date.now() / 1000) + WAITED_SECONDS, entries);

import type { Keyring } from '../database/keyring.ts';
import { ROOM_TOKEN_SECONDS, type RoomMember, signRoomToken } from '../domain/telehealth/room-tokens.ts';
import { writeInstant } from '../domain/values/time.ts';

/**
 * A new room token, and until when it is valid.
 * @param entries as of signRoomToken
 */
export function issueEntryToken(keyring: Keyring, member: RoomMember, entries: number | null): { token: string; token_expires_at: string } {
  const until = Math.floor(Date.now() / 1000) + ROOM_TOKEN_SECONDS;
  return { token: signRoomToken(keyring, 'enter', member, until, entries), token_expires_at: writeInstant(new Date(until * 1000)) };
}

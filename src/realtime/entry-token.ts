import type { Keyring } from '../database/keyring.ts';
import { ROOM_TOKEN_SECONDS, type RoomMember, signRoomToken } from '../domain/telehealth/room-tokens.ts';
import { writeInstant } from '../domain/values/time.ts';

/** A new room token with which the socket is entered, and until when it is valid. */
export function issueEntryToken(keyring: Keyring, member: RoomMember): { token: string; token_expires_at: string } {
  const until = Math.floor(Date.now() / 1000) + ROOM_TOKEN_SECONDS;
  return { token: signRoomToken(keyring, 'enter', member, until), token_expires_at: writeInstant(new Date(until * 1000)) };
}

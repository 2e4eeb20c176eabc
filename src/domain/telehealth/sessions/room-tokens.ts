import { z } from 'zod';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { readClaims, signClaims } from '../../../database/encryption/signed-claims.ts';

/** Validity of a room token. It only has to last until the socket is entered, which then sends a new one each minute. */
export const ROOM_TOKEN_SECONDS = 120;

const id = z.int().min(1);
const participant = z.object({
  kind: z.literal('participant'),
  organizationId: id,
  sessionId: id,
  id,
  role: z.enum(['host', 'guest']),
});
const visit = z.object({ kind: z.literal('visit'), organizationId: id, waitingRoomId: id, id });
const member = z.discriminatedUnion('kind', [participant, visit]);

/** A participant of a session in one role, or a patient in a waiting room. */
export type RoomMember = z.infer<typeof member>;
export type ParticipantMember = z.infer<typeof participant>;
export type VisitMember = z.infer<typeof visit>;

/** `enter` opens the socket. `resume` identifies the person of an earlier join when the same link is joined again, and opens nothing. */
type TokenUse = 'enter' | 'resume';

const signed = z.object({ use: z.enum(['enter', 'resume']), member, until: z.number(), entries: z.int().min(0).nullable() });

const PURPOSE = 'room-token';

/**
 * @param until seconds since 1970
 * @param entries connections of the member until now: the token enters the socket at that count alone, so once. Null for a token
 * that enters no socket, and authorizes uploads only.
 */
export function signRoomToken(keyring: Keyring, use: TokenUse, member: RoomMember, until: number, entries: number | null = null): string {
  return signClaims(keyring, PURPOSE, { use, member, until, entries });
}

/** The person of an earlier join. `entries` are their connections until then; null for a participant of a session. */
export interface Resumed {
  member: RoomMember;
  entries: number | null;
}

/** The member in a token; null for a token that is malformed, altered, expired or for another use. */
export const readRoomToken = (keyring: Keyring, use: TokenUse, token: string, now = Date.now()): RoomMember | null =>
  readContent(keyring, use, token, now)?.member ?? null;

/** The member in a token that enters the socket, and the count of connections at which it does; null for any other token. */
export function readEntryToken(keyring: Keyring, token: string): { member: RoomMember; entries: number } | null {
  const { member, entries = null } = readContent(keyring, 'enter', token, Date.now()) ?? {};
  return member && entries !== null ? { member, entries } : null;
}

/** The person who joined before, by the token that the browser kept; null for any other token. */
export function readResumeToken(keyring: Keyring, token: string): Resumed | null {
  const { member, entries = null } = readContent(keyring, 'resume', token, Date.now()) ?? {};
  return member ? { member, entries } : null;
}

function readContent(keyring: Keyring, use: TokenUse, token: string, now: number): z.infer<typeof signed> | null {
  const content = signed.safeParse(readClaims(keyring, PURPOSE, token)).data;
  return content && content.use === use && content.until * 1000 > now ? content : null;
}

import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { type Keyring, KeyringError } from '../../database/keyring.ts';

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

/** `enter` opens the socket. `resume` identifies an earlier participant when the same link is joined again, and opens nothing. */
type TokenUse = 'enter' | 'resume';

const signed = z.object({ use: z.enum(['enter', 'resume']), member, until: z.number(), entries: z.int().min(0).nullable() });

const PURPOSE = 'room-token';

/**
 * @param until seconds since 1970
 * @param entries connections of the member until now: the token enters the socket at that count alone, so once. Null for a token
 * that enters no socket, and authorizes uploads only.
 */
export function signRoomToken(keyring: Keyring, use: TokenUse, member: RoomMember, until: number, entries: number | null = null): string {
  const claims = Buffer.from(JSON.stringify({ use, member, until, entries })).toString('base64url');
  const body = `${keyring.currentId}.${claims}`;
  return `${body}.${keyring.mac(PURPOSE, body).toString('base64url')}`;
}

/** The member in a token; null for a token that is malformed, altered, expired or for another use. */
export const readRoomToken = (keyring: Keyring, use: TokenUse, token: string, now = Date.now()): RoomMember | null =>
  readClaims(keyring, use, token, now)?.member ?? null;

/** The member in a token that enters the socket, and the count of connections at which it does; null for any other token. */
export function readEntryToken(keyring: Keyring, token: string): { member: RoomMember; entries: number } | null {
  const { member, entries = null } = readClaims(keyring, 'enter', token, Date.now()) ?? {};
  return member && entries !== null ? { member, entries } : null;
}

function readClaims(keyring: Keyring, use: TokenUse, token: string, now: number): z.infer<typeof signed> | null {
  const [, keyId, claims, mac] = /^([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]{1,1000})\.([A-Za-z0-9_-]{43})$/.exec(token) ?? [];
  if (keyId === undefined || claims === undefined || mac === undefined) return null;
  const expected = macOf(keyring, `${keyId}.${claims}`, keyId);
  if (!expected || !timingSafeEqual(expected, Buffer.from(mac, 'base64url'))) return null;
  const content = signed.safeParse(JSON.parse(Buffer.from(claims, 'base64url').toString())).data;
  return content && content.use === use && content.until * 1000 > now ? content : null;
}

function macOf(keyring: Keyring, body: string, keyId: string): Buffer | null {
  try {
    return keyring.mac(PURPOSE, body, keyId);
  } catch (error) {
    if (error instanceof KeyringError) return null;
    throw error;
  }
}

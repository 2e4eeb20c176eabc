import { z } from 'zod';
import { secret as verbatim } from '../http/wire-types.ts';

/** Largest message, in bytes: about ten times a WebRTC session description (SDP) for a session of four people. */
export const MAX_MESSAGE_BYTES = 64 * 1024;

const participantId = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
/** A person whom a host may admit: `participant:31` came by a link, `visit:7` is in a waiting room. The number is the row's id. */
const guest = z.string().regex(/^(participant|visit):[1-9]\d{0,15}$/);

/** Session descriptions and ICE candidates of WebRTC, as they are sent: their line ends count. Fields that browsers do not need are dropped. */
const signalData = z.union([
  z.object({
    description: z.object({ type: z.enum(['offer', 'answer', 'pranswer', 'rollback']), sdp: verbatim(MAX_MESSAGE_BYTES).optional() }),
  }),
  z.object({
    candidate: z
      .object({
        candidate: verbatim(2_000),
        sdpMid: verbatim(100).nullish(),
        sdpMLineIndex: z.int().min(0).max(65_535).nullish(),
        usernameFragment: verbatim(256).nullish(),
      })
      .nullable(),
  }),
]);

/** Messages of a browser. docs/telehealth.md describes each. src/pages/client/protocol.ts has the same types for the browser. */
const browserMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('enter'), token: z.string().max(2_000) }),
  z.object({ type: z.literal('ping') }),
  z.object({ type: z.literal('signal'), to: participantId, data: signalData }),
  z.object({ type: z.literal('admit'), guest }),
  z.object({ type: z.literal('refuse'), guest }),
  z.object({ type: z.literal('recording'), on: z.boolean() }),
  z.object({ type: z.literal('leave') }),
  z.object({ type: z.literal('end') }),
]);

export type BrowserMessage = z.infer<typeof browserMessage>;

/** @returns null for a text that is no valid message */
export function readMessage(raw: string): BrowserMessage | null {
  try {
    return browserMessage.safeParse(JSON.parse(raw)).data ?? null;
  } catch {
    return null;
  }
}

/** @param written the `guest` of a message: `participant:31` or `visit:7` */
export function parseGuest(written: string): { kind: 'participant' | 'visit'; id: number } {
  const [kind, id] = written.split(':');
  return { kind: kind === 'visit' ? 'visit' : 'participant', id: Number(id) };
}

interface Person {
  id: number;
  role: string;
  name: string;
}

/** A person who waits for admission. `from` says how they came: `link` or `waiting_room`. */
interface WaitingPerson {
  guest: string;
  name: string;
  since: string;
  from: 'link' | 'waiting_room';
}

/** Messages of the server. */
export type ServerMessage =
  | { type: 'entered'; state: 'waiting' | 'admitted'; you: Person }
  | { type: 'room'; people: Person[]; recording: boolean; waiting?: WaitingPerson[] }
  | { type: 'admitted' }
  | { type: 'signal'; from: number; data: z.infer<ReturnType<typeof z.json>> }
  | { type: 'token'; token: string; token_expires_at: string }
  | { type: 'pong' }
  | { type: 'problem'; code: string; message: string }
  | { type: 'closing'; code: 'refused' | 'ended' | 'left' | 'replaced'; message: string };

/** Close codes of sockets. The browser decides by them whether it joins again: docs/telehealth.md. */
export const CLOSE_CODE = {
  /** Policy violation (RFC 6455, 7.4.1). */
  invalidMessage: 1008,
  restarting: 1012,
  tooSlow: 1013,
  failed: 1011,
  badToken: 4401,
  silent: 4408,
  replaced: 4409,
  over: 4410,
} as const;

const signalPayload = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['changed', 'admitted', 'refused', 'ended']) }),
  z.object({ type: z.literal('replaced'), by: z.string() }),
  z.object({ type: z.literal('signal'), from: z.int(), data: z.json() }),
]);

/** The payload of a stored signal: a RoomNotice, or the signal of another browser. @returns null for any other */
export const readSignalPayload = (payload: unknown): z.infer<typeof signalPayload> | null => signalPayload.safeParse(payload).data ?? null;

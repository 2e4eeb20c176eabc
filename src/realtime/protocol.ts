import { z } from 'zod';
import { text } from '../http/wire-types.ts';

/** Bytes of one message. A session description of four people has a tenth of it. */
export const LARGEST_MESSAGE = 64 * 1024;

const person = z.int().min(1).max(2_147_483_647);
const guest = z.string().regex(/^(participant|visit):[1-9]\d{0,9}$/);

/** What WebRTC has to say. Only what browsers need of it is passed on. */
const signalData = z.union([
  z.object({ description: z.object({ type: z.enum(['offer', 'answer', 'pranswer', 'rollback']), sdp: text(LARGEST_MESSAGE).optional() }) }),
  z.object({
    candidate: z
      .object({
        candidate: text(2_000),
        sdpMid: text(100).nullish(),
        sdpMLineIndex: z.int().min(0).max(65_535).nullish(),
        usernameFragment: text(256).nullish(),
      })
      .nullable(),
  }),
]);

/** What a browser sends. docs/telehealth.md describes each. */
const fromBrowser = z.discriminatedUnion('type', [
  z.object({ type: z.literal('enter'), token: z.string().max(2_000) }),
  z.object({ type: z.literal('ping') }),
  z.object({ type: z.literal('signal'), to: person, data: signalData }),
  z.object({ type: z.literal('admit'), guest }),
  z.object({ type: z.literal('refuse'), guest }),
  z.object({ type: z.literal('recording'), on: z.boolean() }),
  z.object({ type: z.literal('leave') }),
  z.object({ type: z.literal('end') }),
]);

export type FromBrowser = z.infer<typeof fromBrowser>;

/** Null for what is no message of ours. */
export function readMessage(raw: string): FromBrowser | null {
  try {
    return fromBrowser.safeParse(JSON.parse(raw)).data ?? null;
  } catch {
    return null;
  }
}

/** A guest as hosts name them. */
export function readGuest(written: string): { kind: 'participant' | 'visit'; id: number } {
  const [kind, id] = written.split(':');
  return { kind: kind === 'visit' ? 'visit' : 'participant', id: Number(id) };
}

interface Person {
  id: number;
  role: string;
  name: string;
}

/** What the server sends. */
export type ToBrowser =
  | { type: 'entered'; state: 'waiting' | 'admitted'; you: Person }
  | { type: 'room'; people: Person[]; recording: boolean; waiting?: { guest: string; name: string; since: string; from: string }[] }
  | { type: 'admitted' }
  | { type: 'signal'; from: number; data: z.infer<ReturnType<typeof z.json>> }
  | { type: 'token'; token: string; token_expires_at: string }
  | { type: 'pong' }
  | { type: 'problem'; code: string; message: string }
  | { type: 'closing'; code: 'refused' | 'ended' | 'left' | 'replaced'; message: string };

/** Why a socket is closed; the browser knows from it what to do next. */
export const CLOSE = {
  /** Also what the protocol itself calls a broken rule. */
  broken: 1008,
  restarting: 1012,
  tooSlow: 1013,
  failed: 1011,
  badToken: 4401,
  silent: 4408,
  replaced: 4409,
  over: 4410,
} as const;

const heard = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['changed', 'admitted', 'refused', 'ended']) }),
  z.object({ type: z.literal('replaced'), by: z.string() }),
  z.object({ type: z.literal('signal'), from: z.int(), data: z.json() }),
]);

/** What other processes told: a notice, or the words of another browser. */
export const readHeard = (payload: unknown): z.infer<typeof heard> | null => heard.safeParse(payload).data ?? null;

import { z } from 'zod';
import { WAITING_KEY } from '../domain/telehealth/sessions/waiting-key.ts';
import { multilineText, text, secret as verbatim } from '../http/wire/wire-types.ts';

/** Largest message, in bytes: about ten times a WebRTC session description (SDP) for a session of four people. */
export const MAX_MESSAGE_BYTES = 64 * 1024;

/** Longest text of a message, in characters. The rules for a field are checked by its handler, which says what is wrong; a message of another shape ends the connection. */
const LONGEST_TEXT = 10_000;

const participantId = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
/** The number of a visit in its session, as the database holds it. */
const visitNumber = z.int().min(0).max(2_147_483_647);
/** A person whom a host may admit. */
const guest = z.string().regex(WAITING_KEY);

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
  z.object({ state: z.object({ microphone: z.boolean(), camera: z.boolean(), sharing: z.boolean() }) }),
]);

const enterMessage = z.object({ type: z.literal('enter'), token: z.string().max(2_000) });

/** Messages of a browser. docs/telehealth-protocol.md describes each. */
const browserMessage = z.discriminatedUnion('type', [
  enterMessage,
  z.object({ type: z.literal('ping') }),
  z.object({ type: z.literal('signal'), to: participantId, data: signalData }),
  z.object({ type: z.literal('admit'), guest, visit: z.enum(['new', 'current']).optional() }),
  z.object({ type: z.literal('refuse'), guest }),
  z.object({ type: z.literal('remove'), person: participantId }),
  z.object({ type: z.literal('lock'), on: z.boolean() }),
  z.object({ type: z.literal('recording'), on: z.boolean() }),
  z.object({ type: z.literal('recording_consent'), given: z.boolean() }),
  z.object({ type: z.literal('devices'), camera: z.boolean(), microphone: z.boolean() }),
  z.object({ type: z.literal('chat'), text: multilineText(LONGEST_TEXT), visit: visitNumber.optional() }),
  z.object({ type: z.literal('still'), to: participantId, body_site: text(LONGEST_TEXT).nullish() }),
  z.object({ type: z.literal('still_refused'), id: participantId }),
  z.object({
    type: z.literal('attach'),
    person: participantId,
    last_name: text(LONGEST_TEXT),
    first_name: text(LONGEST_TEXT).optional(),
    birth_date: text(LONGEST_TEXT),
  }),
  z.object({ type: z.literal('leave') }),
  z.object({ type: z.literal('end') }),
]);

export type BrowserMessage = z.infer<typeof browserMessage>;

/** Characters of the first message. */
const LONGEST_ENTER = 3_000;

/**
 * @param isFirst the first message of a browser is `enter`
 * @returns null for a text that is no valid message
 */
export function readMessage(raw: string, isFirst: boolean): BrowserMessage | null {
  if (isFirst && raw.length > LONGEST_ENTER) return null;
  try {
    return (isFirst ? enterMessage : browserMessage).safeParse(JSON.parse(raw)).data ?? null;
  } catch {
    return null;
  }
}

/** Close codes of sockets. The browser decides by them whether it joins again: docs/telehealth-protocol.md. */
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
  z.object({ type: z.enum(['changed', 'admitted', 'refused', 'ended', 'removed', 'visit_over', 'chat', 'still', 'not_now']) }),
  z.object({ type: z.enum(['appointment_cancelled', 'appointment_moved']) }),
  z.object({ type: z.literal('late'), minutes: z.int() }),
  z.object({ type: z.literal('left'), connection: z.string() }),
  z.object({ type: z.literal('replaced'), by: z.string() }),
  z.object({ type: z.literal('signal'), from: z.int(), data: z.json() }),
]);

/** The payload of a stored signal: a RoomNotice, or the signal of another browser. @returns null for any other */
export const readSignalPayload = (payload: unknown): z.infer<typeof signalPayload> | null => signalPayload.safeParse(payload).data ?? null;

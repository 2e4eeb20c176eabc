import { z } from 'zod';
import type { CheckedDevices } from '../domain/telehealth/sessions/checked-devices.ts';
import type { PersonKind } from '../domain/telehealth/sessions/room-view.ts';
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

/** Messages of a browser. docs/telehealth-protocol.md describes each. src/pages/client/protocol.ts has the same types for the browser. */
const browserMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('enter'), token: z.string().max(2_000) }),
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

/** @returns null for a text that is no valid message */
export function readMessage(raw: string): BrowserMessage | null {
  try {
    return browserMessage.safeParse(JSON.parse(raw)).data ?? null;
  } catch {
    return null;
  }
}

interface Person {
  id: number;
  role: string;
  kind: PersonKind;
  name: string;
  /** To hosts only, of a patient whose chart is not restricted. */
  patient_uuid?: number;
  /** To hosts only: a host said whose chart this is, and can correct it. */
  attached?: boolean;
}

/** A person who waits for admission. `from` says how they came: `link` or `waiting_room`. */
interface WaitingPerson {
  guest: string;
  name: string;
  since: string;
  from: 'link' | 'waiting_room';
  kind: 'patient' | 'guest';
  /** `text` is the time in words, in the zone of the appointment. */
  appointment?: { starts_at: string; text: string };
  /** Name of the user whom they are to meet. */
  provider?: string;
  /** The result of the device check; null where none was made. */
  devices: CheckedDevices | null;
}

/** A message of the chat. `from` is a participant. */
export interface ChatLine {
  id: number;
  from: number;
  kind: 'host' | 'patient' | 'guest';
  name: string;
  text: string;
  at: string;
}

/** A request for a clinical still: to the guest whose phone takes it, and how it stands to the hosts. */
export type StillMessage =
  | { type: 'still'; id: number; body_site: string | null }
  | { type: 'still'; id: number; state: 'asked' | 'taken' | 'refused'; image_uuid?: number };

/** The reason for which a socket is closed on purpose. */
export type ClosingCode =
  | 'refused'
  | 'ended'
  | 'left'
  | 'replaced'
  | 'removed'
  | 'visit_over'
  | 'appointment_cancelled'
  | 'appointment_moved';

/** The state of a room, sent after each change. */
export interface RoomMessage {
  type: 'room';
  people: Person[];
  /** Number of the present visit in the session; 0 before anybody was admitted. */
  visit: number;
  recording: boolean;
  locked: boolean;
  /** To who has not answered yet: a host asks to record. */
  recording_asked?: boolean;
  /** To hosts only: names of those whose answer is missing, and of those who do not want to be recorded. */
  recording_waits?: string[];
  recording_declined?: string[];
  /** To hosts only. */
  waiting?: WaitingPerson[];
}

/** Messages of the server. */
export type ServerMessage =
  /** `resume` in a waiting room, instead of that of the join. */
  | { type: 'entered'; state: 'waiting' | 'admitted'; you: Person; resume?: string }
  | RoomMessage
  | { type: 'admitted' }
  | { type: 'signal'; from: number; data: z.infer<ReturnType<typeof z.json>> }
  /** Messages of the present visit, by its number. */
  | { type: 'chat'; visit: number; messages: ChatLine[] }
  | StillMessage
  /** To a waiting person: the practice is running late. */
  | { type: 'late'; minutes: number }
  /** To a patient in a waiting room: a host has answered "not now"; the patient goes on waiting. */
  | { type: 'not_now' }
  | { type: 'token'; token: string; token_expires_at: string }
  | { type: 'pong' }
  /** A refused request. `guest` is whom an `admit` was about. */
  | { type: 'problem'; code: string; message: string; guest?: string }
  | { type: 'closing'; code: ClosingCode; message: string };

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

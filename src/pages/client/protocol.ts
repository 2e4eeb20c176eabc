import type { AppointmentTime, DeviceState, Person, ServerMessage } from '../../realtime/room-protocol.ts';

export interface Joined {
  state: 'waiting' | 'admitted';
  kind: 'session' | 'waiting_room';
  you: Person;
  practice: string;
  /** Name of the user whom one is to meet; null in a waiting room of nobody. */
  host: string | null;
  appointment: AppointmentTime | null;
  /** The telephone number of the practice, written for people. */
  phone: string | null;
  locked: boolean;
  /** When the waiting began. */
  since: string | null;
  session: { guid: string; expires_at: string; capacity: number } | null;
  token: string;
  resume: string;
  signal: string;
  way: 'mesh' | 'livekit' | null;
  ice_servers: RTCIceServer[];
  /** Address and access token, for an admitted person of a session that uses LiveKit. */
  livekit?: { url: string; token: string };
}

/** Of each person's devices; browsers tell each other. */
export interface PersonState extends DeviceState {
  sharing: boolean;
}

export interface SignalData {
  description?: RTCSessionDescriptionInit;
  candidate?: RTCIceCandidateInit | null;
  state?: PersonState;
}

/** Messages of a visit page: docs/telehealth-protocol.md. src/realtime/protocol.ts checks them on the server. */
export type ToServer =
  | { type: 'enter'; token: string }
  | { type: 'ping' }
  | { type: 'signal'; to: number; data: SignalData }
  | { type: 'admit'; guest: string; visit?: 'new' | 'current' }
  | { type: 'refuse'; guest: string }
  | { type: 'remove'; person: number }
  | { type: 'lock'; on: boolean }
  | { type: 'recording'; on: boolean }
  | { type: 'recording_consent'; given: boolean }
  | { type: 'chat'; text: string; visit: number }
  | { type: 'still'; to: number; body_site: string | null }
  | { type: 'still_refused'; id: number }
  | { type: 'devices'; camera: boolean; microphone: boolean }
  | { type: 'attach'; person: number; last_name: string; first_name?: string; birth_date: string }
  | { type: 'leave' | 'end' };

export type FromServer = ServerMessage<SignalData>;
export type Closing = Extract<FromServer, { type: 'closing' }>;

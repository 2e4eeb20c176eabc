/** Messages between a visit page and the server: docs/telehealth.md. src/realtime/protocol.ts checks them on the server. */

export interface Person {
  id: number;
  role: 'host' | 'guest';
  name: string;
}

/** The response to a join. */
export interface Joined {
  state: 'waiting' | 'admitted';
  kind: 'session' | 'waiting_room';
  you: Person;
  practice: string;
  /** When the waiting began. */
  since: string | null;
  session: { guid: string; expires_at: string; capacity: number } | null;
  token: string;
  resume: string | null;
  signal: string;
  way: 'mesh' | 'livekit' | null;
  ice_servers: RTCIceServer[];
  /** Address and access token, for an admitted person of a session that uses LiveKit. */
  livekit?: { url: string; token: string };
}

/** A waiting guest. The host admits and refuses by `guest`. */
export interface Waiting {
  guest: string;
  name: string;
  since: string;
  from: 'link' | 'waiting_room';
}

export interface SignalData {
  description?: RTCSessionDescriptionInit;
  candidate?: RTCIceCandidateInit | null;
}

export type ToServer =
  | { type: 'enter'; token: string }
  | { type: 'ping' }
  | { type: 'signal'; to: number; data: SignalData }
  | { type: 'admit' | 'refuse'; guest: string }
  | { type: 'recording'; on: boolean }
  | { type: 'leave' | 'end' };

/** Sent before the server closes the socket. */
export interface Closing {
  type: 'closing';
  code: 'refused' | 'ended' | 'left' | 'replaced';
  message: string;
}

export type FromServer =
  | { type: 'entered'; state: 'waiting' | 'admitted'; you: Person }
  | { type: 'room'; people: Person[]; recording: boolean; waiting?: Waiting[] }
  | { type: 'admitted' }
  | { type: 'signal'; from: number; data: SignalData }
  | { type: 'token'; token: string; token_expires_at: string }
  | { type: 'pong' }
  | { type: 'problem'; code: string; message: string }
  | Closing;

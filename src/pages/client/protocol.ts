/** Messages between a visit page and the server: docs/telehealth-protocol.md. src/realtime/protocol.ts checks them on the server. */

/** A colleague is a second person through a host link; a guest has no chart in the practice. */
export type PersonKind = 'host' | 'colleague' | 'patient' | 'guest';

export interface Person {
  id: number;
  role: 'host' | 'guest';
  kind: PersonKind;
  name: string;
  /** To hosts only. */
  patient_uuid?: number;
  /** To hosts only: a host said whose chart this is, and can correct it. */
  attached?: boolean;
}

/** The time of an appointment; `text` is for people, in the zone of the appointment. */
export interface AppointmentTime {
  starts_at: string;
  text: string;
}

/** The response to a join. */
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

/** Result of the device check. */
export interface DeviceState {
  camera: boolean;
  microphone: boolean;
}

/** A waiting guest. The host admits and refuses by `guest`. */
export interface Waiting {
  guest: string;
  name: string;
  since: string;
  from: 'link' | 'waiting_room';
  kind: 'patient' | 'guest';
  appointment?: AppointmentTime;
  /** Name of the user whom they are to meet. */
  provider?: string;
  /** Null where no check was made. */
  devices: DeviceState | null;
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

/** A line of the chat. `from` is a participant's id. */
export interface ChatMessage {
  id: number;
  from: number;
  /** Of who wrote it; also of colleagues it is `host`. */
  kind: Exclude<PersonKind, 'colleague'>;
  name: string;
  text: string;
  at: string;
}

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

/** Sent before the server closes the socket. */
export interface Closing {
  type: 'closing';
  code: 'refused' | 'ended' | 'left' | 'replaced' | 'removed' | 'visit_over' | 'appointment_cancelled' | 'appointment_moved';
  message: string;
}

/** The room as it is now. */
export interface RoomMessage {
  type: 'room';
  people: Person[];
  /** Number of the present visit of the session; 0 before the first. */
  visit: number;
  recording: boolean;
  locked: boolean;
  /** A host asks to record, and this person has not answered. */
  recording_asked?: boolean;
  /** To hosts only: names of who has not answered, and of who does not want to be recorded. */
  recording_waits?: string[];
  recording_declined?: string[];
  /** To hosts only. */
  waiting?: Waiting[];
}

/** To a guest: the host asks for a picture. To the host: how it went. */
export type StillMessage =
  | { type: 'still'; id: number; body_site: string | null }
  | { type: 'still'; id: number; state: 'asked' | 'taken' | 'refused'; image_uuid?: number };

export type FromServer =
  /** `resume` in a waiting room, instead of that of the join. */
  | { type: 'entered'; state: 'waiting' | 'admitted'; you: Person; resume?: string }
  | RoomMessage
  | { type: 'admitted' }
  | { type: 'signal'; from: number; data: SignalData }
  | { type: 'chat'; visit?: number; messages: ChatMessage[] }
  | StillMessage
  | { type: 'late'; minutes: number }
  | { type: 'not_now' }
  | { type: 'token'; token: string; token_expires_at: string }
  | { type: 'pong' }
  | { type: 'problem'; code: string; message: string; guest?: string }
  | Closing;

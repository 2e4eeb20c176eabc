/** Messages of the server to the browsers of a visit, as types for both sides. docs/telehealth-protocol.md describes each. */

/** A colleague is a second person of the practice; a guest has no chart in it. */
export type PersonKind = 'host' | 'colleague' | 'patient' | 'guest';

export interface Person {
  id: number;
  role: string;
  kind: PersonKind;
  name: string;
  /** To hosts only, of a patient whose chart is not restricted. */
  patient_uuid?: number;
  /** To hosts only: a host said whose chart this is, and can correct it. */
  attached?: boolean;
}

/** The time of an appointment; `text` is for people, in the zone of the appointment. */
export interface AppointmentTime {
  starts_at: string;
  text: string;
}

/** The result of a device check. */
export interface DeviceState {
  camera: boolean;
  microphone: boolean;
}

/** A person who waits for admission, by `guest`. `from` says how they came. */
export interface WaitingPerson {
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

/** A message of the chat. `from` is a participant; colleagues write as `host`. */
export interface ChatLine {
  id: number;
  from: number;
  kind: Exclude<PersonKind, 'colleague'>;
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

/** Messages of the server; those of another browser have its data. */
export type ServerMessage<Data = unknown> =
  /** `resume` in a waiting room, instead of that of the join. */
  | { type: 'entered'; state: 'waiting' | 'admitted'; you: Person; resume?: string }
  | RoomMessage
  | { type: 'admitted' }
  | { type: 'signal'; from: number; data: Data }
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

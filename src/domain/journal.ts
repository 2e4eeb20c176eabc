import type { VisitChangeNotice } from '../generated/prisma/client.ts';
import type { EventName } from './events/catalogue.ts';

/** A change of a record, for readers of the event log. It has names only, and no values: no patient data. */
export interface NewEvent {
  name: EventName;
  /** Of the record that it is about, whose kind the catalogue names. */
  id: number;
  /** Names of the fields that changed. */
  changed?: string[];
  /** Of an appointment: whether texts about it may wait, for reactions; not stored. */
  textsWait?: boolean;
  /** Of an appointment: whether somebody may wait for it on a page, for reactions; not stored. */
  mayBeAwaited?: boolean;
  /** Of an appointment: what decides whether and how its patient hears of the change, for reactions; not stored. */
  notice?: AppointmentNotice;
}

/** A change of an appointment, as its patient may hear of it. */
export interface AppointmentNotice {
  /** As the request asks for; null where it says nothing. */
  asked: VisitChangeNotice | null;
  /** As the practice does where the request says nothing, and no rule is in force. */
  usual: VisitChangeNotice;
  /** The practice has rules for messages about visits (messaging/visit-messages). */
  ruled: boolean;
  /** It has another provider or office in the place of one. */
  reassigned?: boolean;
  /** Before the change. */
  patientId: number | null;
  startedAt: Date | null;
}

export const AUDIT_ACTIONS = [
  'create',
  'read',
  'search',
  'update',
  'cancel',
  'delete',
  'sign_in',
  'sign_in_refused',
  'sign_out',
  'break_glass',
  'administer',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export interface NewAuditEntry {
  action: AuditAction;
  resource: string;
  ids: number[];
  /** Patients whose charts the records show, where they are about patients. */
  patientIds?: number[];
  /** Never patient data. */
  detail?: string;
}

/** The first response to a POST with an idempotency key. */
export interface StoredResponse {
  key: string;
  fingerprint: Buffer;
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** A job for a worker. It has identifiers only: the queue holds no patient data. */
export interface NewJob {
  queue: 'send-text' | 'send-mail' | 'send-push';
  /** Of the record that it is about. */
  id: number;
  startAfter?: Date;
}

/** A message to the connections at an address of a video visit, on every process (telehealth/signals.ts). It has no patient data. */
export interface NewNotice {
  organizationId: number;
  address: string;
  payload: object;
}

/** Something about an accepted request that a person should know. */
export interface Caution {
  /** Stable, such as `survey_language_missing`. */
  code: string;
  /** In plain words, without patient data. */
  detail: string;
}

/** Everything that one unit of work writes beside its rows, in the same transaction. */
export interface Journal {
  events: NewEvent[];
  audits: NewAuditEntry[];
  storedResponse: StoredResponse | null;
  jobs: NewJob[];
  notices: NewNotice[];
  /** Names for the header Warning-Fields, of what was asked for or would be right and is not there; never values. */
  warnings: string[];
  /** For the header Warning-Codes, and `warnings` of an answer that has them. */
  cautions: Caution[];
}

export const emptyJournal = (): Journal => ({
  events: [],
  audits: [],
  storedResponse: null,
  jobs: [],
  notices: [],
  warnings: [],
  cautions: [],
});

/** Whether there is nothing to write to the database; jobs go to the queue, notices to connections, and warnings to the response. */
export const isEmpty = ({ events, audits, storedResponse }: Journal): boolean =>
  events.length === 0 && audits.length === 0 && storedResponse === null;

/** A change, for those who follow: what happened to which record, by name. Never a value: no patient data. */
export interface NewEvent {
  /** `patient.registered`: subject and past tense. */
  name: string;
  subject: string;
  id: number;
  /** Names of the fields that changed. */
  changed?: string[];
}

export type AuditAction =
  | 'create'
  | 'read'
  | 'search'
  | 'update'
  | 'cancel'
  | 'delete'
  | 'sign_in'
  | 'sign_in_refused'
  | 'sign_out'
  | 'administer';

/** Who looked at or changed what. */
export interface NewAuditEntry {
  action: AuditAction;
  resource: string;
  ids: number[];
  /** Of records that are about patients: whose charts they show. */
  patientIds?: number[];
  /** Never patient data. */
  detail?: string;
}

/** The first answer to a keyed POST. */
export interface KeptAnswer {
  key: string;
  /** Of the database, held by whoever is the first: a whole number of 64 bits. */
  lock: bigint;
  fingerprint: Buffer;
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** Something that a worker does later. Identifiers alone: no patient data lies in a queue. */
export interface NewJob {
  queue: 'send-text' | 'send-mail' | 'send-push';
  /** Of the record that it is about. */
  id: number;
  startAfter?: Date;
}

/** What one unit of work leaves behind beside its rows; written in its transaction. */
export interface Journal {
  events: NewEvent[];
  audits: NewAuditEntry[];
  answer: KeptAnswer | null;
  jobs: NewJob[];
}

export const emptyJournal = (): Journal => ({ events: [], audits: [], answer: null, jobs: [] });

/** There is nothing to write; jobs are the queue's. */
export const isEmpty = ({ events, audits, answer }: Journal): boolean => events.length === 0 && audits.length === 0 && answer === null;

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Named } from './conversation-words.ts';

export interface Patient {
  id: number;
  /** Index of the practice. */
  practice: number;
  /** Empty for none. */
  phone: string;
}

export type Answer = 'Yes' | 'No' | 'Pending';

/** An appointment as the practice knows it. */
export interface Visit {
  id: number;
  /** Minute of all its starts, by which texts are recognized. */
  minute: number;
  practice: number;
  patient: Patient;
  /** Hour of its start. */
  hour: number;
  cancelled: boolean;
  confirmation: Answer;
  /** When somebody last said something that may have been its answer. */
  decidedAt: Date;
}

/** A text that the carrier has taken. */
export interface Left {
  reference: string;
  practice: number;
  to: string;
  body: string;
  at: Date;
  /** The visits that it names as being to come, with the patients that these had when it left. */
  named: (Named & { patientId: number })[];
}

/** All that is known of a story from outside of the server. */
export interface World {
  people: Patient[];
  visits: Visit[];
  phones: string[];
  /** In the order of leaving. */
  left: Left[];
  /** No worker was killed, so that the server knows of each text whether it has left. */
  isCertain: boolean;
  /** Of each visit that its patient confirmed: the hour that the patient had been told, and whose it was. */
  confirmed: Map<number, { hour: number; patientId: number }>;
}

/** A text that somebody wrote. */
export interface Letter {
  id: string;
  from: string;
  body: string;
  at: Date;
}

/** What is written now. Nothing else happens in the same millisecond. */
export async function write(from: string, body: string): Promise<Letter> {
  await sleep(2);
  const at = new Date();
  await sleep(2);
  return { id: `SM-${randomUUID()}`, from, body, at };
}

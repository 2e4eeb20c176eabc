import type { ConfirmationAnswer } from '../../../generated/prisma/client.ts';
import type { Caller } from '../../caller.ts';

export type { ConfirmationAnswer };

/** Columns of an appointment that hold the patient's answer, its time and its author. */
export interface ConfirmationFields {
  confirmation: ConfirmationAnswer;
  confirmedAt: Date | null;
  confirmedBy: 'patient' | 'user' | null;
}

/** Columns for an answer, given now by default. Pending takes an answer back. */
export function confirmationFields(confirmation: ConfirmationAnswer, by: 'patient' | 'user', at = new Date()): ConfirmationFields {
  return confirmation === 'Pending'
    ? { confirmation, confirmedAt: null, confirmedBy: null }
    : { confirmation, confirmedAt: at, confirmedBy: by };
}

/** Records the event of an answer, beside the one of the change. An answer that is taken back has none. */
export function recordConfirmation({ journal }: Caller, id: number, answer: ConfirmationAnswer | undefined): void {
  const name = answer === undefined ? null : CONFIRMATION_EVENTS[answer];
  if (name !== null) journal.events.push({ name, id, changed: ['confirmation'] });
}

export const CONFIRMATION_EVENTS = {
  Yes: 'appointment.confirmed',
  No: 'appointment.declined',
  Pending: null,
} as const satisfies Record<ConfirmationAnswer, string | null>;

export interface ConfirmationCounts {
  confirmed: number;
  declined: number;
  pending: number;
  total: number;
}

/** A count as a percentage of all, to two decimals; 0 where there are none. */
export const toPercentage = (count: number, total: number): number => (total === 0 ? 0 : Math.round((count * 10_000) / total) / 100);

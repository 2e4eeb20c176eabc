import type { ConfirmationAnswer } from '../../../generated/prisma/client.ts';

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

/** Event of each answer. An answer that is taken back is an ordinary change. */
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

import type { ConfirmationAnswer } from '../../generated/prisma/client.ts';

export type { ConfirmationAnswer };

export interface Answered {
  confirmation: ConfirmationAnswer;
  confirmedAt: Date | null;
  confirmedBy: 'patient' | 'user' | null;
}

/** What an appointment notes of an answer: what it was, when it came and from whom. Pending takes an answer back. */
export function answered(confirmation: ConfirmationAnswer, by: 'patient' | 'user'): Answered {
  return confirmation === 'Pending'
    ? { confirmation, confirmedAt: null, confirmedBy: null }
    : { confirmation, confirmedAt: new Date(), confirmedBy: by };
}

/** The event that tells of an answer. An answer taken back is a change like others. */
export const ANSWER_EVENTS = { Yes: 'appointment.confirmed', No: 'appointment.declined', Pending: null } as const satisfies Record<
  ConfirmationAnswer,
  string | null
>;

/** How many appointments were answered how. */
export interface Answers {
  confirmed: number;
  declined: number;
  pending: number;
  total: number;
}

/** Percent of all that were confirmed, to two decimals; 0 where there are none. */
export function percentageConfirmed({ confirmed, total }: Answers): number {
  return total === 0 ? 0 : Math.round((confirmed * 10_000) / total) / 100;
}

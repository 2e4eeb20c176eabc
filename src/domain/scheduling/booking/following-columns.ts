import type { Caller } from '../../caller.ts';
import type { StoredAppointment } from '../appointment/booking.sql.ts';
import { type ConfirmationFields, confirmationFields } from '../appointment/confirmation.ts';
import type { AppointmentInput } from './appointment-input.ts';

/**
 * Columns for an answer in the input.
 * @param renewed takes the existing answer back: it was given to another time, or by another patient
 */
export function confirmationAfter(
  { confirmation }: AppointmentInput,
  before: StoredAppointment,
  renewed: boolean,
): Partial<ConfirmationFields> {
  const current = renewed ? 'Pending' : before.confirmation;
  if (confirmation !== undefined && confirmation !== current) return confirmationFields(confirmation, 'user');
  return renewed ? confirmationFields('Pending', 'user') : {};
}

/** An appointment that loses its date keeps when it did, so that it can be told from one that never had a date. */
export const undatedAfter = ({ startsAt }: { startsAt?: Date | null }) =>
  startsAt === undefined ? {} : { undatedAt: startsAt === null ? new Date() : null };

/** It is booked again, by the caller, when it gets a patient; without any it is as it was made. */
export function bookingAfter({ userId }: Caller, { patientId }: { patientId?: number | null }) {
  if (patientId === undefined) return {};
  return patientId === null ? { bookedAt: null, bookedByUserId: null } : { bookedAt: new Date(), bookedByUserId: userId };
}

/** A visit that is restored is cancelled no longer. */
export const cancelledAfter = ({ status }: Pick<AppointmentInput, 'status'>) => (status === undefined ? {} : { cancelledAt: null });

/** Texts to the former patient tell the new one nothing. */
export const textsAfter = ({ patientId }: { patientId?: number | null }) => (patientId === undefined ? {} : { initialSmsSent: null });

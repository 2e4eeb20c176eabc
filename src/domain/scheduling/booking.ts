import type { Db } from '../../database/database.ts';
import { NONE } from '../../database/statements/no-id.ts';
import { preparedIn } from '../../database/statements/statement.ts';
import { sendLater } from '../../database/transaction.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { conflict } from '../errors.ts';
import { isActiveAppointment } from '../values/appointment-status.ts';
import { changesTo } from '../values/changed-fields.ts';
import { momentAt, writeLocal } from '../values/time.ts';
import { type AppointmentInput, newAppointment, readBookingContext } from './appointment-input.ts';
import {
  ADD_PARTICIPANTS,
  APPOINTMENT_ID,
  type BookedFields,
  bookedValues,
  INSERT_APPOINTMENT,
  LOCK_CALENDARS,
  NO_FIELDS,
  OVERLAP,
} from './booking.sql.ts';
import { CONFIRMATION_EVENTS, type ConfirmationAnswer, confirmationFields } from './confirmation.ts';
import { showBooked } from './lists/appointment-reader.ts';
import type { Appointment } from './lists/appointment-view.ts';

/**
 * Stores an appointment; also one without a date, which no list shows until it has one.
 * @throws Failure as newAppointment, and conflict where the organization refuses double booking
 */
export async function scheduleAppointment(db: Db, caller: Caller, input: AppointmentInput): Promise<Appointment> {
  const { organizationId, userId: createdByUserId } = caller;
  const prepared = preparedIn(db);
  const [context, [drawn]] = await Promise.all([readBookingContext(prepared, caller, NONE, input), prepared.rows(APPOINTMENT_ID, [])]);
  if (!drawn) throw new Error('the sequence of appointments gave no id');
  const { id } = drawn;
  const { fields, users } = await newAppointment(db, caller, input, context);
  const confirmation = confirmationFields(input.confirmation ?? 'Pending', 'user');
  const booked = { ...NO_FIELDS, ...fields, ...confirmation, createdByUserId };
  if (context.refusesDoubleBooking) await holdSlot(db, caller, { ...booked, id }, users, 'date');
  sendLater(db, INSERT_APPOINTMENT, [organizationId, id, ...bookedValues(booked)]);
  if (users.length > 0) sendLater(db, ADD_PARTICIPANTS, [organizationId, id, users]);
  // A zone, a length and an office that follow from other records were not given.
  const { timeZone, durationMinutes, officeId } = input;
  const defaults = { timeZone: timeZone ?? undefined, durationMinutes: durationMinutes ?? undefined, officeId: officeId ?? undefined };
  const given = Object.keys(changesTo(NO_FIELDS, { ...fields, ...confirmation, ...defaults }));
  const changed = [...given, ...(users.length > 0 ? ['users'] : [])];
  const notice = { asked: null, usual: 'none', ruled: context.ruled, patientId: null, startedAt: null } as const;
  recordChange(caller, 'create', { name: 'appointment.scheduled', id, changed, notice }, chartsOf(booked.patientId));
  recordConfirmation(caller, id, confirmation.confirmation);
  return showBooked(db, caller, { ...booked, id, createdAt: context.now, updatedAt: context.now }, users, context.patient);
}

/** The charts that a change is about: that of the patient before it and that of the patient after it. */
export const chartsOf = (...patientIds: (number | null | undefined)[]): number[] => [...new Set(patientIds.flatMap((id) => id ?? []))];

/**
 * Holds the time of an appointment for users until the transaction ends, if it is free: an advisory lock on each user makes bookings of one
 * user follow one another, so that of many bookings for one slot all but the first find it occupied. An exclusion constraint of the database
 * guards the rest. An appointment that does not count, or has no date, takes up no time.
 * @param field of the input that an error names
 * @throws Failure conflict that names the user, the other appointment, and its time on the clocks of this one
 */
export async function holdSlot(
  db: Db,
  { organizationId }: Caller,
  { id, startsAt, endsAt, status, timeZone }: Pick<BookedFields, 'startsAt' | 'endsAt' | 'status' | 'timeZone'> & { id: number },
  users: readonly number[],
  field: string,
): Promise<void> {
  if (users.length === 0 || startsAt === null || endsAt === null || !isActiveAppointment(status)) return;
  const { rows } = preparedIn(db);
  // Sent in this order in one flush: the read sees what the lock waited for.
  const [, [overlap]] = await Promise.all([
    rows(LOCK_CALENDARS, [organizationId, users]),
    rows(OVERLAP, [organizationId, users, startsAt, endsAt, id]),
  ]);
  if (!overlap) return;
  const [from, to] = [overlap.startsAt, overlap.endsAt].map((instant) => writeLocal(momentAt(instant, timeZone).local));
  const message = `User ${overlap.userId} has appointment ${overlap.appointmentId} from ${from} to ${to} in ${timeZone}.`;
  throw conflict('double_booked', message, field);
}

/** An answer has an event of its own beside the one of the change. */
export function recordConfirmation(caller: Caller, id: number, answer: ConfirmationAnswer | undefined): void {
  const name = answer === undefined ? null : CONFIRMATION_EVENTS[answer];
  if (name !== null) caller.journal.events.push({ name, id, changed: ['confirmation'] });
}

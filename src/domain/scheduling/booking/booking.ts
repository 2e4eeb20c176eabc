import { NONE } from '../../../database/statements/no-id.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { isActiveAppointment } from '../../values/appointment-status.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { momentAt, writeLocal } from '../../values/time/time.ts';
import { readAppointment, showBooked } from '../appointment/appointment-reader.ts';
import type { Appointment } from '../appointment/appointment-view.ts';
import {
  ADD_PARTICIPANTS,
  APPOINTMENT_ID,
  type BookedFields,
  bookedValues,
  INSERT_APPOINTMENT,
  LOCK_CALENDARS,
  NO_FIELDS,
  OVERLAP,
  TAKEN_SINCE,
} from '../appointment/booking.sql.ts';
import { confirmationFields, recordConfirmation } from '../appointment/confirmation.ts';
import { CLAIMED } from '../free-time/slots.sql.ts';
import { type AppointmentInput, newAppointment, readBookingContext } from './appointment-input.ts';
import { warnOfAppointment, warnOfNotice } from './appointment-warnings.ts';
import { bookClaim, type Claim, type Claimant, listCalendars } from './claims.ts';
import { inSlot, takeChosenSlot } from './slot-choice.ts';

/**
 * Stores an appointment; also one without a date, which no list shows until it has one.
 * @param claimant who has the hold, or takes the slot; the caller unless given
 * @throws Failure as newAppointment and takeChosenSlot; conflict for a taken time where the organization refuses double booking
 */
export async function scheduleAppointment(tx: Tx, input: AppointmentInput, claimant?: Claimant): Promise<Appointment> {
  const claim = await takeChosenSlot(tx, input, { patientId: input.patientId ?? null }, claimant);
  if (claim === null) return storeAppointment(tx, input, null);
  // Asked for again after an answer that was lost.
  if (claim.appointmentId !== null) return readBooked(tx, claim.appointmentId);
  return storeAppointment(tx, inSlot(input, claim), claim);
}

/** @throws Failure not_found for a patient whom the caller may not see, as for one who has no visit in the slot */
async function readBooked(tx: Tx, id: number): Promise<Appointment> {
  const booked = await readAppointment(tx, id);
  if (booked.patient === null) throw notFound('patient', 'patientId');
  return booked;
}

async function storeAppointment(tx: Tx, input: AppointmentInput, claim: Claim | null): Promise<Appointment> {
  const { userId: createdByUserId } = tx;
  const [context, [drawn]] = await Promise.all([readBookingContext(tx, input), tx.prepared.rows(APPOINTMENT_ID, [])]);
  if (!drawn) throw new Error('the sequence of appointments gave no id');
  // The appointment keeps the id under which its slot was shown; those of a group have ids of their own.
  const id = claim?.slot.capacity === 1 && !claim.slot.isBooked ? claim.slot.id : drawn.id;
  const { fields, users, chosenOffice } = await newAppointment(tx, input, context);
  const office = chosenOffice ?? context.office;
  const confirmation = confirmationFields(input.confirmation ?? 'Pending', 'user');
  const booked = { ...NO_FIELDS, ...fields, ...confirmation, createdByUserId };
  if (context.refusesDoubleBooking) await holdCalendars(tx, { ...booked, id }, { users, field: 'date', claim });
  tx.later(INSERT_APPOINTMENT, [id, ...bookedValues(booked)]);
  if (claim) bookClaim(tx, claim, id);
  if (users.length > 0) tx.later(ADD_PARTICIPANTS, [id, users]);
  // A zone, a length and an office that follow from other records were not given.
  const { timeZone, durationMinutes, officeId } = input;
  const defaults = { timeZone: timeZone ?? undefined, durationMinutes: durationMinutes ?? undefined, officeId: officeId ?? undefined };
  const given = Object.keys(changesTo(NO_FIELDS, { ...fields, ...confirmation, ...defaults }));
  const changed = [...given, ...(users.length > 0 ? ['users'] : [])];
  const notice = { asked: input.notify ?? null, usual: 'none', ruled: context.ruled, patientId: null, startedAt: null } as const;
  recordChange(tx, 'create', { name: 'appointment.scheduled', id, changed, notice }, listCharts(booked.patientId));
  recordConfirmation(tx, id, confirmation.confirmation);
  const shown = { ...booked, id, createdAt: context.now, updatedAt: context.now, statusChanges: [] };
  await Promise.all([warnOfAppointment(tx, [id], booked, office), warnOfNotice(tx, input.notify, booked.patientId)]);
  return showBooked(tx, shown, users, { ...context, office });
}

/** The charts that a change is about: that of the patient before it and that of the patient after it. */
export const listCharts = (...patientIds: (number | null | undefined)[]): number[] => [...new Set(patientIds.flatMap((id) => id ?? []))];

/**
 * Holds the time of an appointment for its provider and users until the transaction ends, if it is free: an advisory lock on each calendar
 * makes bookings of one user follow one another, so that of many bookings for one slot all but the first find it occupied. Exclusion
 * constraints of the database guard the rest. An appointment that does not count, or has no date, takes up no time.
 * @param busy.field of the input that an error names
 * @param busy.claim the slot of the appointment, which has the time of its provider: the others need theirs
 * @throws Failure conflict that names the user, the other appointment, and its time on the clocks of this one
 */
export async function holdCalendars(
  tx: Tx,
  { id, providerId, startsAt, endsAt, status, timeZone }: CalendarFields,
  { users: all, field, claim }: { users: readonly number[]; field: string; claim: Claim | null },
): Promise<void> {
  const users = claim ? all.filter((one) => one !== claim.slot.userId) : all;
  const provider = claim ? null : providerId;
  if ((users.length === 0 && provider === null) || startsAt === null || endsAt === null || !isActiveAppointment(status)) return;
  // Sent in this order in one flush: the reads see what the lock waited for.
  const [, [overlap], [claimed]] = await Promise.all([
    tx.rows(LOCK_CALENDARS, [listCalendars(provider, users)]),
    tx.rows(OVERLAP, [users, startsAt, endsAt, id, provider ?? NONE]),
    tx.rows(CLAIMED, [provider ?? NONE, startsAt, endsAt, id]),
  ]);
  const found = overlap ?? claimed;
  if (!found) return;
  const has = overlap
    ? `${overlap.userId === null ? 'The provider' : `User ${overlap.userId}`} has appointment ${overlap.appointmentId}`
    : 'The provider has a slot that is held or booked';
  throw conflict('double_booked', `${has} ${writeSpan(found, timeZone)}.`, claim ? 'userIds' : field);
}

type CalendarFields = Pick<BookedFields, 'providerId' | 'startsAt' | 'endsAt' | 'status' | 'timeZone'> & { id: number };

/**
 * Refuses a time that the provider or those who take part have not free, also where the practice allows double booking: nobody sees both
 * when a visit is restored, or many are booked.
 * @param field of the input that an error names
 * @param since what was there before then is not in the way
 * @throws Failure conflict that names the other appointment and its time, on the clocks of this one
 */
export async function requireFree(
  tx: Tx,
  { id, startsAt, endsAt, providerId, timeZone, users }: Omit<CalendarFields, 'status'> & { users: readonly number[] },
  field: string,
  since = new Date(0),
): Promise<void> {
  if (startsAt === null || endsAt === null) return;
  const provider = providerId ?? NONE;
  // Sent in this order in one flush: the reads see what the lock waited for.
  const [, [taken], [claimed]] = await Promise.all([
    tx.rows(LOCK_CALENDARS, [listCalendars(providerId, users)]),
    tx.rows(TAKEN_SINCE, [id, startsAt, endsAt, provider, users, since]),
    tx.rows(CLAIMED, [provider, startsAt, endsAt, id]),
  ]);
  const found = taken ?? claimed;
  if (!found) return;
  const has = taken ? `Appointment ${taken.id} has the time` : 'The provider has a slot that is held or booked';
  throw conflict('time_taken', `${has}: ${writeSpan(found, timeZone)}.`, field);
}

/** A time in words, on the clocks of a zone. */
function writeSpan({ startsAt, endsAt }: { startsAt: Date; endsAt: Date }, timeZone: string): string {
  const [from, to] = [startsAt, endsAt].map((instant) => writeLocal(momentAt(instant, timeZone).local));
  return `from ${from} to ${to} in ${timeZone}`;
}

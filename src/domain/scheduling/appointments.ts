import type { Db } from '../../database/database.ts';
import { NONE } from '../../database/statements/no-id.ts';
import { preparedIn } from '../../database/statements/statement.ts';
import { sendLater } from '../../database/transaction.ts';
import { recordChange, recordRead } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { notFound } from '../errors.ts';
import { isActiveAppointment } from '../values/appointment-status.ts';
import { changesTo } from '../values/changed-fields.ts';
import { writeInstant, writeLocal } from '../values/time.ts';
import { type AppointmentInput, columnsOf, confirmationOf, keepWithheldPatient, readBookingContext } from './appointment-input.ts';
import { lockAppointment } from './appointment-lock.ts';
import {
  ADD_PARTICIPANTS,
  APPOINTMENT_ID,
  type BookedFields,
  type BookingContext,
  bookedValues,
  FORGET_REMINDERS,
  INSERT_APPOINTMENT,
  KEEP_PARTICIPANTS,
  type StoredAppointment,
  TEXTS_WAIT,
  UPDATE_APPOINTMENT,
} from './booking.sql.ts';
import { CONFIRMATION_EVENTS, type ConfirmationAnswer } from './confirmation.ts';
import { appointmentOf, recordPatientRead } from './lists/appointment-reader.ts';
import type { Appointment } from './lists/appointment-view.ts';
import { findReferences } from './lists/references.ts';
import { holdSlot, type Slot } from './slot-hold.ts';

/** A new appointment without any field. */
const NO_FIELDS = {
  patientId: null,
  typeOrganizationId: null,
  typeId: null,
  officeId: null,
  locationId: null,
  waitingRoomId: null,
  providerId: null,
  status: 'scheduled',
  confirmation: 'Pending',
  confirmedAt: null,
  confirmedBy: null,
  initialSmsSent: null,
  showOnTasks: true,
  bookedAt: null,
  bookedByUserId: null,
  undatedAt: null,
  cancelledAt: null,
} as const satisfies Partial<BookedFields>;

/**
 * Stores an appointment; also one without a date, which no list shows until it has one.
 * @throws Failure as columnsOf, and conflict where the organization refuses double booking
 */
export async function scheduleAppointment(db: Db, caller: Caller, input: AppointmentInput): Promise<Appointment> {
  const { organizationId, userId: createdByUserId } = caller;
  const prepared = preparedIn(db);
  const [context, [drawn]] = await Promise.all([readBookingContext(prepared, caller, NONE, input), prepared.rows(APPOINTMENT_ID, [])]);
  if (!drawn) throw new Error('the sequence of appointments gave no id');
  const { id } = drawn;
  const confirmation = confirmationOf(input, null, false);
  const { columns, users } = await columnsOf(db, caller, input, { before: null, context });
  const fields = { ...columns, ...confirmation };
  const booked = { ...NO_FIELDS, ...fields, createdByUserId };
  const slot = context.exclusive ? slotOf(booked, { users, id: NONE, field: 'date' }) : null;
  if (slot) await holdSlot(prepared, caller, slot);
  sendLater(db, INSERT_APPOINTMENT, [organizationId, id, ...bookedValues(booked)]);
  if (users.length > 0) sendLater(db, ADD_PARTICIPANTS, [organizationId, id, users]);
  const changed = [...Object.keys(fields), ...(users.length > 0 ? ['users'] : [])];
  recordChange(caller, 'create', { name: 'appointment.scheduled', id, changed }, chartsOf(fields.patientId));
  recordConfirmation(caller, id, confirmation.confirmation);
  return showBooked(db, caller, { ...booked, id, createdAt: context.now, updatedAt: context.now }, users, context);
}

/**
 * Changes the fields that differ; without any, nothing is written. An appointment that moves, or gets another patient, has
 * to be confirmed again.
 * @throws Failure as scheduleAppointment, and not_found for another organization's or a cancelled appointment
 */
export async function changeAppointment(db: Db, caller: Caller, id: number, input: AppointmentInput): Promise<Appointment> {
  const { organizationId } = caller;
  const prepared = preparedIn(db);
  const [before, context] = await Promise.all([lockAppointment(db, caller, id), readBookingContext(prepared, caller, id, input)]);
  requireStored(before);
  const given = keepWithheldPatient(caller, input, before, context);
  const { columns, users } = await columnsOf(db, caller, given, { before, context });
  const fields = changesTo(before, columns);
  const moved = fields.startsAt !== undefined;
  const confirmation = confirmationOf(input, before, moved || fields.patientId !== undefined);
  const changes = { ...fields, ...changesTo(before, { ...confirmation, ...textsAfter(fields), ...undatedAfter(fields) }) };
  const added = users.filter((one) => !context.participants.includes(one));
  const haveLeft = context.participants.some((one) => !users.includes(one));
  const changed = [...Object.keys(changes), ...(haveLeft || added.length > 0 ? ['users'] : [])];
  const shown = { createdAt: writeInstant(before.createdAt), updatedAt: writeInstant(before.updatedAt) };
  if (changed.length === 0) {
    recordRead(caller, 'appointment', [id]);
    return showBooked(db, caller, { ...before, ...shown }, users, context);
  }
  const booked = { ...before, ...changes, ...bookingAfter(caller, fields) };
  const rebooked = moved || fields.endsAt !== undefined;
  const who = rebooked ? { users, id, field: 'date' } : { users: added, id, field: input.userIds ? 'userIds' : 'providerId' };
  const slot = context.exclusive ? slotOf(booked, who) : null;
  if (slot) await holdSlot(prepared, caller, slot);
  // Those who leave first, since they may be in the way of others.
  if (haveLeft) sendLater(db, KEEP_PARTICIPANTS, [organizationId, id, users]);
  sendLater(db, UPDATE_APPOINTMENT, [organizationId, id, ...bookedValues(booked)]);
  if (added.length > 0) sendLater(db, ADD_PARTICIPANTS, [organizationId, id, added]);
  // The new patient is reminded, though the former one was.
  if (fields.patientId !== undefined) sendLater(db, FORGET_REMINDERS, [organizationId, id]);
  const event = { name: moved ? 'appointment.moved' : 'appointment.changed', id, changed, textsWait: context.textsWait } as const;
  recordChange(caller, 'update', event, chartsOf(before.patientId, fields.patientId));
  recordConfirmation(caller, id, confirmation.confirmation);
  return showBooked(db, caller, { ...booked, ...shown, updatedAt: context.now }, users, context);
}

/** The charts that a change is about: that of the patient before it and that of the patient after it. */
const chartsOf = (...patientIds: (number | null | undefined)[]): number[] => [...new Set(patientIds.flatMap((id) => id ?? []))];

/** An appointment that loses its date keeps when it did, so that it can be told from one that never had a date. */
const undatedAfter = ({ startsAt }: { startsAt?: Date | null }) =>
  startsAt === undefined ? {} : { undatedAt: startsAt === null ? new Date() : null };

/** It is booked again, by the caller, when it gets a patient; without any it is as it was made. */
function bookingAfter({ userId }: Caller, { patientId }: { patientId?: number | null }) {
  if (patientId === undefined) return {};
  return patientId === null ? { bookedAt: null, bookedByUserId: null } : { bookedAt: new Date(), bookedByUserId: userId };
}

/** Texts to the former patient tell the new one nothing. */
const textsAfter = ({ patientId }: { patientId?: number | null }) => (patientId === undefined ? {} : { initialSmsSent: null });

/** The slot that an appointment takes up; null for one that does not count, or without a date or users. */
function slotOf(
  { startsAt, endsAt, status }: Pick<BookedFields, 'startsAt' | 'endsAt' | 'status'>,
  { users, id, field }: { users: readonly number[]; id: number; field: string },
): Slot | null {
  if (users.length === 0 || startsAt === null || endsAt === null || !isActiveAppointment(status)) return null;
  return { userIds: users, startsAt, endsAt, appointmentId: id, field };
}

/** An answer has an event of its own beside the one of the change. */
function recordConfirmation(caller: Caller, id: number, answer: ConfirmationAnswer | undefined): void {
  const name = answer === undefined ? null : CONFIRMATION_EVENTS[answer];
  if (name !== null) caller.journal.events.push({ name, id, changed: ['confirmation'] });
}

/** An appointment with the instants at which it was made and changed, as they are shown. */
type ShownFields = BookedFields & { id: number; createdAt: string; updatedAt: string };

/** The appointment as the transaction leaves it. Its patient's chart is audited as read. */
async function showBooked(
  db: Db,
  caller: Caller,
  booked: ShownFields,
  users: readonly number[],
  context: BookingContext,
): Promise<Appointment> {
  const row = {
    ...context,
    ...booked,
    startsAt: writeInstant(booked.startsAt),
    endsAt: writeInstant(booked.endsAt),
    localStart: writeLocal(booked.localStart),
    confirmedAt: writeInstant(booked.confirmedAt),
    userIds: `{${users.join()}}`,
    chartRestricted: booked.patientId === null ? null : context.chartRestricted,
  };
  const appointment = appointmentOf(caller, row, await findReferences(preparedIn(db), caller.organizationId, [row]));
  recordPatientRead(caller, appointment);
  return appointment;
}

/** Cancels: gone from every list, kept for the history. @throws Failure not_found, also for one that was cancelled before */
export async function cancelAppointment(db: Db, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller;
  const [before, [texts]] = await Promise.all([lockAppointment(db, caller, id), preparedIn(db).rows(TEXTS_WAIT, [organizationId, id])]);
  requireStored(before);
  sendLater(db, UPDATE_APPOINTMENT, [organizationId, id, ...bookedValues({ ...before, status: 'cancelled', cancelledAt: new Date() })]);
  const { patientId } = before;
  recordChange(caller, 'cancel', { name: 'appointment.cancelled', id, ...texts }, chartsOf(patientId));
  // The audit of a chart shows its cancelled appointments too.
  if (patientId !== null)
    caller.journal.audits.push({ action: 'update', resource: 'patient', ids: [patientId], detail: `appointment ${id} cancelled` });
}

/** @throws Failure not_found, also for a cancelled one */
function requireStored(appointment: StoredAppointment | null): asserts appointment is StoredAppointment {
  if (appointment === null || appointment.status === 'cancelled') throw notFound('appointment');
}

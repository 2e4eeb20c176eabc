import type { Db } from '../../database/database.ts';
import { preparedIn } from '../../database/statements/statement.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { recordChange, recordRead } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { notFound } from '../errors.ts';
import { isActiveAppointment } from '../values/appointment-status.ts';
import { changesTo } from '../values/changed-fields.ts';
import { type AppointmentInput, columnsOf, confirmationOf, STORED, type StoredAppointment } from './appointment-input.ts';
import { lockAppointment } from './appointment-lock.ts';
import { CONFIRMATION_EVENTS, type ConfirmationAnswer } from './confirmation.ts';
import { findAppointment, recordPatientRead } from './lists/appointment-reader.ts';
import type { Appointment } from './lists/appointment-view.ts';
import { holdSlot, requireFreeSlot, type Slot } from './slot-hold.ts';
import { keepWithheldPatient } from './withheld-patient.ts';

/**
 * Stores an appointment; also one without a date, which no list shows until it has one.
 * @throws Failure as columnsOf, and conflict where the organization refuses double booking
 */
export async function scheduleAppointment(db: Db, caller: Caller, input: AppointmentInput): Promise<Appointment> {
  const { organizationId, userId } = caller;
  const confirmation = confirmationOf(input, null, false);
  const { columns, users, exclusive } = await columnsOf(db, caller, input, null);
  const fields = { ...columns, ...confirmation };
  const slot = exclusive ? slotOf({ ...fields, status: 'scheduled' }, { users, id: null, field: 'date' }) : null;
  if (slot) await requireFreeSlot(db, caller, slot);
  if (slot) await holdSlot(db, caller, slot);
  const { id } = await db.appointment.create({
    data: { ...fields, organizationId, createdByUserId: userId, users: { createMany: { data: users.map((user) => ({ userId: user })) } } },
    select: { id: true },
  });
  const changed = [...Object.keys(fields), ...(users.length > 0 ? ['users'] : [])];
  recordChange(caller, 'create', { name: 'appointment.scheduled', id, changed }, chartsOf(fields.patientId));
  recordConfirmation(caller, id, confirmation.confirmation);
  return readBack(db, caller, id);
}

/**
 * Changes the fields that differ; without any, nothing is written. An appointment that moves, or gets another patient, has
 * to be confirmed anew.
 * @throws Failure as scheduleAppointment, and not_found for another organization's or a cancelled appointment
 */
export async function changeAppointment(db: Db, caller: Caller, id: number, input: AppointmentInput): Promise<Appointment> {
  const before = await lockStored(db, caller, id);
  const given = await keepWithheldPatient(db, caller, input, before);
  const { columns, users, exclusive } = await columnsOf(db, caller, given, before);
  const fields = changesTo(before, columns);
  const moved = fields.startsAt !== undefined;
  const confirmation = confirmationOf(input, before, moved || fields.patientId !== undefined);
  const changes = { ...fields, ...changesTo(before, { ...confirmation, ...textsAfter(fields), ...undatedAfter(fields) }) };
  const current = before.users.map(({ userId }) => userId);
  const added = users.filter((one) => !current.includes(one));
  const sameUsers = added.length === 0 && users.length === current.length;
  const changed = [...Object.keys(changes), ...(sameUsers ? [] : ['users'])];
  if (changed.length === 0) {
    recordRead(caller, 'appointment', [id]);
    return readBack(db, caller, id);
  }
  const rebooked = moved || fields.endsAt !== undefined;
  const who = rebooked ? { users, id, field: 'date' } : { users: added, id, field: input.userIds ? 'userIds' : 'providerId' };
  const slot = exclusive ? slotOf({ ...before, ...fields }, who) : null;
  if (slot) await holdSlot(db, caller, slot);
  await store(db, before, { ...changes, ...bookingAfter(caller, fields) }, sameUsers ? null : users);
  if (fields.patientId !== undefined) await forgetReminders(db, before);
  const name = moved ? 'appointment.moved' : 'appointment.changed';
  recordChange(caller, 'update', { name, id, changed }, chartsOf(before.patientId, fields.patientId));
  recordConfirmation(caller, id, confirmation.confirmation);
  return readBack(db, caller, id);
}

/** The charts that a change is about: that of the patient before it and that of the patient after it. */
const chartsOf = (...patientIds: (number | null | undefined)[]): number[] => [...new Set(patientIds.flatMap((id) => id ?? []))];

/** An appointment that loses its date keeps when it did, so that it can be told from one that never had a date. */
const undatedAfter = ({ startsAt }: { startsAt?: Date | null }) =>
  startsAt === undefined ? {} : { undatedAt: startsAt === null ? new Date() : null };

/** It is booked anew, by the caller, when it gets a patient; without any it is as it was made. */
function bookingAfter({ userId }: Caller, { patientId }: { patientId?: number | null }) {
  if (patientId === undefined) return {};
  return patientId === null ? { bookedAt: null, bookedByUserId: null } : { bookedAt: new Date(), bookedByUserId: userId };
}

/** Texts to the former patient tell the new one nothing. */
const textsAfter = ({ patientId }: { patientId?: number | null }) => (patientId === undefined ? {} : { initialSmsSent: null });

/** The new patient is reminded, though the former one was. */
async function forgetReminders(db: Db, { organizationId, id }: StoredAppointment): Promise<void> {
  await db.appointmentReminder.deleteMany({ where: { organizationId, appointmentId: id } });
}

/** Writes the row and, where they differ, its participants: those who leave first, since they may be in the way of others. */
async function store(
  db: Db,
  { organizationId, id }: StoredAppointment,
  changes: Prisma.AppointmentUncheckedUpdateInput,
  users: number[] | null,
): Promise<void> {
  const appointment = { where: { organizationId_id: { organizationId, id } }, select: { id: true } } as const;
  if (users === null) {
    await db.appointment.update({ ...appointment, data: changes });
    return;
  }
  await db.userAppointment.deleteMany({ where: { organizationId, appointmentId: id, userId: { notIn: users } } });
  await db.appointment.update({ ...appointment, data: { ...changes, updatedAt: new Date() } });
  const data = users.map((userId) => ({ organizationId, appointmentId: id, userId }));
  await db.userAppointment.createMany({ data, skipDuplicates: true });
}

/** The slot that an appointment takes up; null for one that does not count, or without a date or users. */
function slotOf(
  { startsAt, endsAt, status }: Pick<StoredAppointment, 'startsAt' | 'endsAt' | 'status'>,
  { users, id, field }: { users: readonly number[]; id: number | null; field: string },
): Slot | null {
  if (users.length === 0 || startsAt === null || endsAt === null || !isActiveAppointment(status)) return null;
  return { userIds: users, startsAt, endsAt, appointmentId: id, field };
}

/** An answer has an event of its own beside the one of the change. */
function recordConfirmation(caller: Caller, id: number, answer: ConfirmationAnswer | undefined): void {
  const name = answer === undefined ? null : CONFIRMATION_EVENTS[answer];
  if (name !== null) caller.journal.events.push({ name, id, changed: ['confirmation'] });
}

/** The appointment as the transaction has it now. Its patient's chart is audited as read. */
async function readBack(db: Db, caller: Caller, id: number): Promise<Appointment> {
  const appointment = await findAppointment(preparedIn(db), caller, id);
  recordPatientRead(caller, appointment);
  return appointment;
}

/** Cancels: gone from every list, kept for the history. @throws Failure not_found, also for one that was cancelled before */
export async function cancelAppointment(db: Db, caller: Caller, id: number): Promise<void> {
  await lockStored(db, caller, id);
  const { patientId } = await db.appointment.update({
    where: { organizationId_id: { organizationId: caller.organizationId, id } },
    data: { status: 'cancelled', cancelledAt: new Date() },
    select: { patientId: true },
  });
  recordChange(caller, 'cancel', { name: 'appointment.cancelled', id }, chartsOf(patientId));
  // The audit of a chart shows its cancelled appointments too.
  if (patientId !== null)
    caller.journal.audits.push({ action: 'update', resource: 'patient', ids: [patientId], detail: `appointment ${id} cancelled` });
}

/** Locks an appointment, and reads it. @throws Failure not_found, also for a cancelled one */
async function lockStored(db: Db, { organizationId }: Caller, id: number): Promise<StoredAppointment> {
  await lockAppointment(db, { organizationId }, id);
  const appointment = await db.appointment.findFirst({ where: { organizationId, id, status: { not: 'cancelled' } }, include: STORED });
  if (!appointment) throw notFound('appointment');
  return appointment;
}

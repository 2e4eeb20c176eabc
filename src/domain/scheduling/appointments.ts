import type { Db } from '../../database/database.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { recordChange, recordRead } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { notFound } from '../errors.ts';
import { changesTo } from '../values/changed-fields.ts';
import { answerOf, columnsOf } from './appointment-input.ts';
import { ANSWER_EVENTS, type ConfirmationAnswer } from './confirmation.ts';
import { type Booking, findSlotFree, holdSlot } from './double-booking.ts';
import { readParticipants } from './participants.ts';

const PERSON = { select: { id: true, type: true, firstName: true, lastName: true, email: true, phone: true, active: true } } as const;

/** An appointment with all that its readers show. */
const WHOLE = {
  patient: true,
  type: true,
  office: true,
  location: true,
  waitingRoom: true,
  createdBy: { select: { id: true, firstName: true, lastName: true } },
  users: { select: { userId: true, user: PERSON }, orderBy: { userId: 'asc' } },
} as const satisfies Prisma.AppointmentInclude;

export type Appointment = Prisma.AppointmentGetPayload<{ include: typeof WHOLE }>;

/**
 * What a dialect may set. A field that is absent stays as it is; null clears it.
 * `date` is as the caller wrote it: with an offset an instant, without one wall time in the appointment's zone.
 */
export interface AppointmentInput {
  date?: string | null | undefined;
  timeZone?: string | null | undefined;
  patientId?: number | null | undefined;
  typeId?: number | null | undefined;
  officeId?: number | null | undefined;
  locationId?: number | null | undefined;
  waitingRoomId?: number | null | undefined;
  /** Who takes part, instead of those who did. */
  userIds?: number[] | undefined;
  /** What the patient answered, as a user heard it. */
  confirmation?: ConfirmationAnswer | undefined;
  showOnTasks?: boolean | undefined;
}

/**
 * Stores an appointment; also one without a date, which no list shows until it has one.
 * @throws Failure invalid for a wall time that does not occur, not_found for what the organization does not have, conflict
 *   where the organization refuses double booking
 */
export async function scheduleAppointment(db: Db, caller: Caller, input: AppointmentInput): Promise<Appointment> {
  const { organizationId, userId } = caller;
  const answer = answerOf(input, null, false);
  const { columns, exclusive } = await columnsOf(db, caller, input, null);
  const fields = { ...columns, ...answer };
  const booking = exclusive ? bookingOf({ ...fields, status: 'scheduled' }, { users: input.userIds ?? [], id: null, field: 'date' }) : null;
  if (booking) await findSlotFree(db, caller, booking);
  const users = await readParticipants(db, caller, input.userIds ?? [], []);
  if (booking) await holdSlot(db, caller, booking);
  const appointment = await db.appointment.create({
    data: { ...fields, organizationId, createdByUserId: userId, users: { createMany: { data: users.map((id) => ({ userId: id })) } } },
    include: WHOLE,
  });
  const changed = [...Object.keys(fields), ...(users.length > 0 ? ['users'] : [])];
  recordChange(caller, 'create', { name: 'appointment.scheduled', subject: 'appointment', id: appointment.id, changed });
  recordAnswer(caller, appointment.id, answer.confirmation);
  recordPatientShown(caller, appointment);
  return appointment;
}

/**
 * Changes what is given, and is no change when all of that stands already. A moved appointment has to be confirmed anew.
 * @throws Failure as scheduleAppointment, and not_found for another organization's or a cancelled appointment
 */
export async function changeAppointment(db: Db, caller: Caller, id: number, input: AppointmentInput): Promise<Appointment> {
  const before = await lockAppointment(db, caller, id);
  const { columns, exclusive } = await columnsOf(db, caller, input, before);
  const fields = changesTo(before, columns);
  const moved = fields.startsAt !== undefined;
  const answer = answerOf(input, before, moved);
  const changes = { ...fields, ...changesTo(before, answer) };
  const standing = before.users.map(({ userId }) => userId);
  const users = input.userIds === undefined ? standing : await readParticipants(db, caller, input.userIds, standing);
  const joining = users.filter((one) => !standing.includes(one));
  const sameUsers = joining.length === 0 && users.length === standing.length;
  const changed = [...Object.keys(changes), ...(sameUsers ? [] : ['users'])];
  if (changed.length === 0) {
    recordRead(caller, 'appointment', [id]);
    recordPatientShown(caller, before);
    return before;
  }
  const rebooked = moved || fields.endsAt !== undefined;
  const who = rebooked ? { users, id, field: 'date' } : { users: joining, id, field: 'userIds' };
  const booking = exclusive ? bookingOf({ ...before, ...fields }, who) : null;
  if (booking) await holdSlot(db, caller, booking);
  const appointment = await store(db, before, changes, sameUsers ? null : users);
  recordChange(caller, 'update', { name: moved ? 'appointment.moved' : 'appointment.changed', subject: 'appointment', id, changed });
  recordAnswer(caller, id, answer.confirmation);
  recordPatientShown(caller, appointment);
  return appointment;
}

/** Writes the row, and if they differ its users: first who leaves, so that nobody is in the way who will not be there. */
async function store(
  db: Db,
  { organizationId, id }: Appointment,
  changes: Prisma.AppointmentUncheckedUpdateInput,
  users: number[] | null,
): Promise<Appointment> {
  const where = { organizationId_id: { organizationId, id } };
  if (users === null) return db.appointment.update({ where, data: changes, include: WHOLE });
  await db.userAppointment.deleteMany({ where: { organizationId, appointmentId: id, userId: { notIn: users } } });
  await db.appointment.update({ where, data: { ...changes, updatedAt: new Date() }, select: { id: true } });
  const data = users.map((userId) => ({ organizationId, appointmentId: id, userId }));
  await db.userAppointment.createMany({ data, skipDuplicates: true });
  return db.appointment.findUniqueOrThrow({ where, include: WHOLE });
}

/** The time that users have to have; null where nobody is needed, or at no time. */
function bookingOf(
  { startsAt, endsAt, status }: Pick<Appointment, 'startsAt' | 'endsAt' | 'status'>,
  { users, id, field }: { users: readonly number[]; id: number | null; field: string },
): Booking | null {
  if (users.length === 0 || startsAt === null || endsAt === null || status === 'cancelled' || status === 'no_show') return null;
  return { userIds: users, startsAt, endsAt, appointmentId: id, field };
}

/** An answer is told of by itself, beside the change that it is. */
function recordAnswer(caller: Caller, id: number, answer: ConfirmationAnswer | undefined): void {
  const name = answer === undefined ? null : ANSWER_EVENTS[answer];
  if (name !== null) caller.journal.events.push({ name, subject: 'appointment', id, changed: ['confirmation'] });
}

/** One appointment, audited as read. @throws Failure not_found */
export async function readAppointment(db: Db, caller: Caller, id: number, field?: string): Promise<Appointment> {
  const appointment = await findAppointment(db, caller, id, field);
  recordRead(caller, 'appointment', [id]);
  recordPatientShown(caller, appointment);
  return appointment;
}

/** Cancels: gone from every list, kept for the history. @throws Failure not_found, also when it was cancelled before */
export async function cancelAppointment(db: Db, caller: Caller, id: number): Promise<void> {
  await lockAppointment(db, caller, id);
  const { patientId } = await db.appointment.update({
    where: { organizationId_id: { organizationId: caller.organizationId, id } },
    data: { status: 'cancelled', cancelledAt: new Date() },
    select: { patientId: true },
  });
  recordChange(caller, 'cancel', { name: 'appointment.cancelled', subject: 'appointment', id });
  // Whoever asks what was done to a chart finds this too.
  if (patientId !== null)
    caller.journal.audits.push({ action: 'update', resource: 'patient', ids: [patientId], detail: `appointment ${id} cancelled` });
}

/** @throws Failure not_found; a cancelled appointment is as if it had never been */
export async function findAppointment(db: Db, { organizationId }: Caller, id: number, field?: string): Promise<Appointment> {
  const appointment = await db.appointment.findFirst({ where: { organizationId, id, status: { not: 'cancelled' } }, include: WHOLE });
  if (!appointment) throw notFound('appointment', field);
  return appointment;
}

/** Two changes at once follow one another, so that neither writes back what it read before the other. */
async function lockAppointment(db: Db, caller: Caller, id: number): Promise<Appointment> {
  await db.$queryRaw`SELECT id FROM appointment WHERE organization_id = ${caller.organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  return findAppointment(db, caller, id);
}

/** Whoever is shown an appointment is shown its patient's chart. */
function recordPatientShown(caller: Caller, { patientId }: Appointment): void {
  if (patientId !== null) recordRead(caller, 'patient', [patientId]);
}

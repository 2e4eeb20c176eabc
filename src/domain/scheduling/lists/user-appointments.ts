import { conflict, Failure, invalid, notFound, WrongFields } from '../../errors.ts';
import { findColleague } from '../../practices/colleagues.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { readPage } from '../../values/list-page.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { readRange, toBounds, type WrittenRange } from '../../values/time/date-range.ts';
import { writeInstant } from '../../values/time/time.ts';
import { lockAppointment } from '../appointment/appointment-lock.ts';
import { findAppointments } from '../appointment/appointment-reader.ts';
import type { Appointment } from '../appointment/appointment-view.ts';
import { changeAppointment } from '../booking/appointments.ts';
import { ASSIGNMENTS, ASSIGNMENTS_OF_USERS, type AssignmentFilters, type AssignmentSort } from './user-appointments.sql.ts';

export type { AssignmentSort };

/** One user's participation in an appointment. */
export interface Assignment {
  id: number;
  userId: number;
  appointmentId: number;
  /** In UTC, such as `2026-03-08T14:30:00Z`. */
  createdAt: string;
  appointment: Appointment;
}

export interface AssignmentFilter extends AssignmentFilters {
  /** Start of the appointment; without an offset in the zone of the caller's organization. */
  dates?: WrittenRange | undefined;
}

const BY_START: AssignmentSort = { order: 'startsAt', descending: false };

/** Assignments of users to appointments; cancelled ones, and those without a date, are left out. Audited as a search. */
export async function listAssignments(
  tx: Tx,
  { dates, ...filter }: AssignmentFilter,
  page: PageRequest,
  sort: AssignmentSort = BY_START,
): Promise<Page<Assignment>> {
  const range = dates && (await readRange(dates, () => organizationZone(tx)));
  const of = filter.userIds === undefined ? ASSIGNMENTS : ASSIGNMENTS_OF_USERS;
  const values = toBounds(range);
  const { rows, total, end } = await readPage(tx, of, { values, filter, sort, page });
  const ids = rows.map((row) => row.appointmentId);
  const appointments = new Map((await findAppointments(tx, [...new Set(ids)])).map((found) => [found.id, found]));
  const items = rows.flatMap((row) => {
    const appointment = appointments.get(row.appointmentId);
    return appointment ? [{ ...row, appointment }] : [];
  });
  return { ...page, items, total, end };
}

export interface AssignmentKey {
  userId: number;
  appointmentId: number;
}

/**
 * Adds a user to an appointment.
 * @throws Failure not_found, invalid for an inactive user, conflict for a user who takes part already, or has another
 *   appointment at that time where the organization refuses double booking
 */
export async function assignUser(tx: Tx, part: AssignmentKey): Promise<Assignment> {
  const participants = await participantsFor(tx, part);
  if (participants.includes(part.userId))
    throw conflict('already_assigned', 'The user already takes part in this appointment.', 'appointmentId');
  return setParticipants(tx, part, [...participants, part.userId]);
}

/**
 * Hands an appointment over to a user, who replaces another participant.
 * @param from the participant to replace; may be left out where at most one other takes part
 * @throws Failure as assignUser, except that nothing changes where the user is the only participant already
 */
export async function handOver(tx: Tx, part: AssignmentKey, from: number | undefined): Promise<Assignment> {
  const participants = await participantsFor(tx, part, 'id');
  const others = participants.filter((id) => id !== part.userId);
  if (from === undefined && others.length > 1)
    throw conflict('several_users', `${others.length} others take part. Name the user to replace.`, 'fromUserId');
  if (from !== undefined && !participants.includes(from)) throw notFound('user appointment', 'fromUserId');
  const staying = from === undefined ? [] : others.filter((id) => id !== from);
  return setParticipants(tx, part, [...staying, part.userId]);
}

/** Takes a user out of an appointment. @throws Failure not_found for a user who does not take part, or a cancelled appointment */
export async function removeUser(tx: Tx, { userId, appointmentId }: AssignmentKey): Promise<void> {
  const participants = await lockParticipants(tx, appointmentId);
  if (!participants.includes(userId)) throw notFound('user appointment');
  await changeAppointment(tx, appointmentId, { userIds: participants.filter((id) => id !== userId) });
}

/** Ids of the participants, locked until the transaction ends. @throws Failure not_found */
async function lockParticipants(tx: Tx, appointmentId: number): Promise<number[]> {
  const appointment = await lockAppointment(tx, appointmentId);
  if (appointment === null || appointment.status === 'cancelled') throw notFound('appointment', 'appointmentId');
  const rows = await tx.prisma.userAppointment.findMany({
    where: { ...tx.practice, appointmentId },
    select: { userId: true },
  });
  return rows.map(({ userId }) => userId);
}

/**
 * The participants of an appointment that a user is to join.
 * @param field the name of the user's id: `id` where the user is the record that the request is about
 * @throws Failure naming the appointment, the user, or both
 */
async function participantsFor(tx: Tx, { userId, appointmentId }: AssignmentKey, field: 'userId' | 'id' = 'userId'): Promise<number[]> {
  const wrong = new WrongFields();
  const participants = await wrong.check(() => lockParticipants(tx, appointmentId));
  await wrong.check(() => requireActive(tx, userId, field));
  wrong.throwIfAny();
  return participants ?? [];
}

async function requireActive(tx: Tx, userId: number, field: string): Promise<void> {
  const user = await findColleague(tx, userId, field);
  if (!user.active) throw invalid(field, 'is a user who is not active', 'inactive_user');
}

async function setParticipants(tx: Tx, { userId, appointmentId }: AssignmentKey, userIds: number[]): Promise<Assignment> {
  const appointment = await changeAppointment(tx, appointmentId, { userIds }).catch(nameAppointment);
  const key = { organizationId_appointmentId_userId: { ...tx.practice, appointmentId, userId } };
  const { id, createdAt } = await tx.prisma.userAppointment.findUniqueOrThrow({ where: key });
  return { id, userId, appointmentId, createdAt: writeInstant(createdAt), appointment };
}

/** Names the appointment as the cause of a double booking, since the caller sent no list of users. */
function nameAppointment(error: unknown): never {
  if (error instanceof Failure && error.code === 'double_booked') throw conflict(error.code, error.message, 'appointmentId');
  throw error;
}

import type { Db } from '../../database/database.ts';
import type { Prepared } from '../../database/statement.ts';
import type { Caller } from '../caller.ts';
import { conflict, Failure, invalid, notFound } from '../errors.ts';
import { organizationZone } from '../practices/organization-zone.ts';
import { findColleague } from '../practices/users.ts';
import { readRange, type WrittenRange } from '../values/date-range.ts';
import { type Page, type PageRequest, totalOf } from '../values/paging.ts';
import { writeInstant } from '../values/time.ts';
import { showAppointments } from './appointment-lists.ts';
import type { ShownAppointment } from './appointment-view.ts';
import { changeAppointment } from './appointments.ts';
import { type AssignmentOrder, assignmentCount, assignmentPage } from './user-appointments.sql.ts';

export type { AssignmentOrder };

/** One user's part in an appointment. */
export interface Assignment {
  id: number;
  userId: number;
  appointmentId: number;
  /** In UTC, as it is shown. */
  createdAt: string;
  appointment: ShownAppointment;
}

export interface AssignmentFilter {
  /** Of these users alone; none where it is empty. */
  userIds?: number[] | undefined;
  typeIds?: number[] | undefined;
  showOnTasks?: boolean | undefined;
  /** When they start; without an offset in the zone of the caller's organization. */
  dates?: WrittenRange | undefined;
}

export interface AssignmentSort {
  by: AssignmentOrder;
  descending: boolean;
}

const BY_START: AssignmentSort = { by: 'startsAt', descending: false };

/** Who takes part in what. Cancelled appointments and those without a date are in no list. Audited with what was shown. */
export async function listAssignments(
  prepared: Prepared,
  caller: Caller,
  { userIds, typeIds, showOnTasks, dates }: AssignmentFilter,
  page: PageRequest,
  { by, descending }: AssignmentSort = BY_START,
): Promise<Page<Assignment>> {
  const ofUsers = userIds !== undefined;
  const range = dates && (await readRange(dates, () => organizationZone(prepared, caller)));
  const bounds = [range?.from?.toISOString() ?? '-infinity', range?.before?.toISOString() ?? 'infinity'];
  const values = [caller.organizationId, ...bounds, showOnTasks ?? null, typeIds ?? null];
  const users = ofUsers ? [userIds] : [];
  const offset = (page.page - 1) * page.limit;
  const rows = await prepared.rows(assignmentPage({ ofUsers, order: by, descending }), [...values, page.limit, offset, ...users]);
  const total = await totalOf(page, rows.length, () => prepared.rows(assignmentCount(ofUsers), [...values, ...users]));
  const ids = rows.map((row) => row.appointment_id);
  const appointments = new Map((await showAppointments(prepared, caller, [...new Set(ids)], 'search')).map((shown) => [shown.id, shown]));
  const items = rows.flatMap(({ id, user_id: userId, appointment_id: appointmentId, created_at: createdAt }) => {
    const appointment = appointments.get(appointmentId);
    return appointment ? [{ id, userId, appointmentId, createdAt, appointment }] : [];
  });
  return { ...page, items, total };
}

/** Which user, which appointment. */
export interface Part {
  userId: number;
  appointmentId: number;
}

/**
 * Lets a user take part in an appointment, beside those who do.
 * @throws Failure not_found, invalid for a user who has left, conflict for who takes part already, or has another
 *   appointment at that time where the organization refuses that
 */
export async function assignUser(db: Db, caller: Caller, part: Part): Promise<Assignment> {
  const standing = await holdParticipants(db, caller, part.appointmentId);
  await requireActive(db, caller, part.userId);
  if (standing.includes(part.userId))
    throw conflict('already_assigned', 'The user takes part in this appointment already.', 'appointmentId');
  return participate(db, caller, part, [...standing, part.userId]);
}

/**
 * Hands an appointment to a user: the place of another who takes part becomes theirs.
 * @param from whose place; may be left out where one other takes part at most
 * @throws Failure as assignUser, but it is no change where the user alone takes part already
 */
export async function handOver(db: Db, caller: Caller, part: Part, from: number | undefined): Promise<Assignment> {
  const standing = await holdParticipants(db, caller, part.appointmentId);
  await requireActive(db, caller, part.userId);
  const others = standing.filter((id) => id !== part.userId);
  if (from === undefined && others.length > 1)
    throw conflict('several_users', `${others.length} others take part: say in whose place.`, 'fromUserId');
  if (from !== undefined && !standing.includes(from)) throw notFound('user appointment', 'fromUserId');
  const staying = from === undefined ? [] : others.filter((id) => id !== from);
  return participate(db, caller, part, [...staying, part.userId]);
}

/** Takes a user out of an appointment. @throws Failure not_found for who does not take part, or a cancelled one */
export async function removeUser(db: Db, caller: Caller, { userId, appointmentId }: Part): Promise<void> {
  const standing = await holdParticipants(db, caller, appointmentId);
  if (!standing.includes(userId)) throw notFound('user appointment');
  await changeAppointment(db, caller, appointmentId, { userIds: standing.filter((id) => id !== userId) });
}

/** Who takes part, which nobody else changes until the transaction ends. @throws Failure not_found */
async function holdParticipants(db: Db, { organizationId }: Caller, appointmentId: number): Promise<number[]> {
  const held = await db.$queryRaw<unknown[]>`
    SELECT id FROM appointment
     WHERE organization_id = ${organizationId} AND id = ${appointmentId} AND status <> 'cancelled' FOR NO KEY UPDATE`;
  if (held.length === 0) throw notFound('appointment', 'appointmentId');
  const rows = await db.userAppointment.findMany({ where: { organizationId, appointmentId }, select: { userId: true } });
  return rows.map(({ userId }) => userId);
}

async function requireActive(db: Db, caller: Caller, userId: number): Promise<void> {
  const user = await findColleague(db, caller, userId, 'userId');
  if (!user.active) throw invalid('userId', 'is a user who is not active', 'inactive_user');
}

async function participate(db: Db, caller: Caller, { userId, appointmentId }: Part, userIds: number[]): Promise<Assignment> {
  const appointment = await changeAppointment(db, caller, appointmentId, { userIds }).catch(nameAppointment);
  const { organizationId } = caller;
  const key = { organizationId_appointmentId_userId: { organizationId, appointmentId, userId } };
  const { id, createdAt } = await db.userAppointment.findUniqueOrThrow({ where: key });
  return { id, userId, appointmentId, createdAt: writeInstant(createdAt), appointment };
}

/** What is in the way is here the appointment's time, not a list of users that the caller did not send. */
function nameAppointment(error: unknown): never {
  if (error instanceof Failure && error.code === 'double_booked') throw conflict(error.code, error.message, 'appointmentId');
  throw error;
}

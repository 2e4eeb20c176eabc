import { maySeeChart } from '../../caller.ts';
import { invalid } from '../../errors.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { readPage } from '../../values/list-page.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { readRange, toBounds, type WrittenRange } from '../../values/time/date-range.ts';
import { recordSearched, withReferences } from '../appointment/appointment-reader.ts';
import type { Appointment } from '../appointment/appointment-view.ts';
import type { ConfirmationCounts } from '../appointment/confirmation.ts';
import {
  APPOINTMENTS,
  type AppointmentList,
  confirmationCounts,
  type ListFilter,
  OF_USER,
  OF_USERS,
  type StatusCounts,
  statusCounts,
} from './appointment-list-queries.sql.ts';

/** Filters of a list of appointments, all optional. An id that the organization does not have matches nothing, as does a patient whom the caller may not see. */
export interface AppointmentFilter extends Omit<ListFilter, 'patient'> {
  dates?: WrittenRange | undefined;
  /** A participant, beside userIds. */
  userId?: number | undefined;
  patientId?: number | undefined;
}

/**
 * Appointments sorted by start, then by id; cancelled ones, and those without a date, are left out.
 * @throws Failure invalid for dates that cannot be read
 */
export async function listAppointments(tx: Tx, filter: AppointmentFilter, page: PageRequest): Promise<Page<Appointment>> {
  const { of, values, given } = await findList(tx, filter);
  const { rows, total, end } = await readPage(tx, of, { values, filter: given, sort: BY_START, page });
  const items = await withReferences(tx, rows);
  recordSearched(tx, items);
  return { ...page, items, total, end };
}

const BY_START = { order: 'start', descending: false } as const;

/**
 * Number of appointments by answer, without cancelled ones, and by status; those without a date, and those after a patient's death, are not
 * counted.
 * @throws Failure invalid for dates that cannot be read, or that have an offset
 */
export async function countAppointments(tx: Tx, filter: AppointmentFilter): Promise<ConfirmationCounts & { statuses: StatusCounts }> {
  const { of, values, given } = await findList(tx, filter, { offsets: false });
  const all = [...values, ...of.values(given)];
  const [[{ confirmed, declined, total } = { confirmed: 0, declined: 0, total: 0 }], [statuses]] = await Promise.all([
    tx.rows(confirmationCounts(of, given), all),
    tx.rows(statusCounts(of, given), all),
  ]);
  if (!statuses) throw new Error('a count has a row');
  return { confirmed, declined, pending: total - confirmed - declined, total, statuses };
}

interface Found {
  of: AppointmentList;
  values: unknown[];
  given: ListFilter;
}

/** The list whose index leaves the fewest rows to filter. */
async function findList(
  tx: Tx,
  { dates, userId, patientId, userIds, ...given }: AppointmentFilter,
  { offsets = true } = {},
): Promise<Found> {
  const range = dates && (await readRange(dates, () => organizationZone(tx), { offsets }));
  const values = toBounds(range);
  if (patientId !== undefined) {
    if (userId !== undefined && userIds !== undefined) throw invalid('user[]', 'cannot be combined with user_id and a patient');
    const patient: ListFilter['patient'] = [patientId, maySeeChart(tx, patientId)];
    return { of: APPOINTMENTS, values, given: { ...given, patient, userIds: userId === undefined ? userIds : [userId] } };
  }
  if (userId !== undefined) return { of: OF_USER, values: [...values, userId], given: { ...given, userIds } };
  if (userIds === undefined || given.externalId !== undefined) return { of: APPOINTMENTS, values, given: { ...given, userIds } };
  if (userIds.length === 1) return { of: OF_USER, values: [...values, ...userIds], given };
  return { of: OF_USERS, values: [...values, userIds], given };
}

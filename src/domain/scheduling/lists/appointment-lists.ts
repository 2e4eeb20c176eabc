import type { Prepared } from '../../../database/statements/statement.ts';
import { type Caller, type CallerIdentity, maySeeChart } from '../../caller.ts';
import { invalid } from '../../errors.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import { cutPage, type Page, type PageRequest, toPageStart, writePosition } from '../../values/paging.ts';
import { type DateRange, readRange, type WrittenRange } from '../../values/time/date-range.ts';
import type { PagedRow } from '../appointments.sql.ts';
import type { ConfirmationAnswer, ConfirmationCounts } from '../visits/confirmation.ts';
import { BY_START_NAME, LISTS, type ListQueries, type StatusCounts } from './appointment-list-queries.sql.ts';
import { recordSearched, withReferences } from './appointment-reader.ts';
import type { Appointment } from './appointment-view.ts';

/** Filters of a list of appointments, all optional. An id that the organization does not have matches nothing, as does a patient whom the caller may not see. */
export interface AppointmentFilter {
  dates?: WrittenRange | undefined;
  /** A participant. */
  userId?: number | undefined;
  /** One of these participants, beside userId. */
  userIds?: number[] | undefined;
  /** One of these providers is the appointment's, or takes part as a user. */
  providerIds?: number[] | undefined;
  patientId?: number | undefined;
  typeId?: number | undefined;
  officeId?: number | undefined;
  locationId?: number | undefined;
  confirmation?: ConfirmationAnswer | undefined;
  showOnTasks?: boolean | undefined;
  /** Those that changed at this instant or later. */
  updatedSince?: Date | undefined;
  /** Its id in the system that it was imported from. */
  externalId?: string | undefined;
}

/**
 * Appointments sorted by start, then by id; cancelled ones, and those without a date, are left out.
 * @throws Failure invalid for dates that cannot be read
 */
export async function listAppointments(
  prepared: Prepared,
  caller: Caller,
  filter: AppointmentFilter,
  page: PageRequest,
): Promise<Page<Appointment>> {
  const { queries, values } = queriesFor(caller, filter, await readDates(prepared, caller, filter));
  const { rows, total, end } = await readPage(prepared, queries, values, page);
  const items = await withReferences(prepared, caller, rows);
  recordSearched(caller, items);
  return { ...page, items, total, end };
}

/** A full page carries the number of all rows; one beyond the end of the list, or after a position, needs a count. */
async function readPage(prepared: Prepared, queries: ListQueries, values: unknown[], page: PageRequest) {
  const { limit, offset, after } = toPageStart(page, BY_START_NAME);
  const query = after.length > 0 ? queries.after : offset === 0 ? queries.first : queries.page;
  const found = await prepared.rows(query, [...values, limit, ...(after.length > 0 ? after : offset === 0 ? [] : [offset])]);
  const toPosition = ({ startsAt, id }: PagedRow) => writePosition(BY_START_NAME, startsAt ?? '', id);
  const total = found[page.limit]?.total;
  return cutPage(page, found, toPosition, async () => (typeof total === 'number' ? [{ total }] : prepared.rows(queries.count, values)));
}

/**
 * Number of appointments by answer, without cancelled ones, and by status; those without a date, and those after a patient's death, are not
 * counted.
 * @throws Failure invalid for dates that cannot be read, or that have an offset
 */
export async function countVisits(
  prepared: Prepared,
  caller: CallerIdentity,
  filter: AppointmentFilter,
): Promise<ConfirmationCounts & { statuses: StatusCounts }> {
  const { queries, values } = queriesFor(caller, filter, await readDates(prepared, caller, filter, false));
  const [[{ confirmed, declined, total } = { confirmed: 0, declined: 0, total: 0 }], [statuses]] = await Promise.all([
    prepared.rows(queries.confirmations, values),
    prepared.rows(queries.statuses, values),
  ]);
  if (!statuses) throw new Error('a count has a row');
  return { confirmed, declined, pending: total - confirmed - declined, total, statuses };
}

async function readDates(prepared: Prepared, caller: CallerIdentity, { dates }: AppointmentFilter, offsets = true): Promise<DateRange> {
  if (dates?.min === undefined && dates?.max === undefined) return { from: null, before: null };
  return readRange(dates, () => organizationZone(prepared, caller), { offsets });
}

/** The statements that leave the fewest rows to filter, and their values. */
function queriesFor(caller: CallerIdentity, filter: AppointmentFilter, range: DateRange): { queries: ListQueries; values: unknown[] } {
  const { typeId, locationId, confirmation, showOnTasks, providerIds, updatedSince, externalId } = filter;
  const { lists, leading, officeId, userIds } = leadingIndex(caller, filter);
  const values = [caller.organizationId, range.from?.toISOString() ?? '-infinity', range.before?.toISOString() ?? 'infinity', ...leading];
  const filters = [typeId, locationId, confirmation, showOnTasks].map((value) => value ?? null);
  const further = [officeId, userIds, providerIds, updatedSince, externalId].map((value) => value ?? null);
  if (further.some((value) => value !== null)) return { queries: lists.filteredFurther, values: [...values, ...filters, ...further] };
  if (filters.some((value) => value !== null)) return { queries: lists.filtered, values: [...values, ...filters] };
  return { queries: lists.all, values };
}

/** The index to read, its leading value, and the office and users that are left to filter by. */
function leadingIndex(caller: CallerIdentity, { userId, userIds, patientId, officeId, externalId }: AppointmentFilter) {
  if (patientId !== undefined) {
    if (userId !== undefined && userIds !== undefined) throw invalid('user[]', 'cannot be combined with user_id and a patient');
    const participants = userId === undefined ? userIds : [userId];
    return { lists: LISTS.byPatient, leading: [patientId, maySeeChart(caller, patientId)], officeId, userIds: participants };
  }
  if (externalId !== undefined && userId === undefined) return { lists: LISTS.byExternalId, leading: [externalId], officeId, userIds };
  if (userId !== undefined) return { lists: LISTS.byUser, leading: [userId], officeId, userIds };
  if (userIds?.length === 1) return { lists: LISTS.byUser, leading: userIds, officeId };
  if (userIds !== undefined) return { lists: LISTS.byUsers, leading: [userIds], officeId };
  if (officeId !== undefined) return { lists: LISTS.byOffice, leading: [officeId] };
  return { lists: LISTS.byTime, leading: [] };
}

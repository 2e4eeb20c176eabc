import type { Prepared } from '../../../database/statements/statement.ts';
import { type Caller, type CallerIdentity, maySeeChart } from '../../caller.ts';
import { invalid } from '../../errors.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import { type DateRange, readRange, type WrittenRange } from '../../values/date-range.ts';
import type { Page, PageRequest, StartPosition } from '../../values/paging.ts';
import type { PagedRow } from '../appointments.sql.ts';
import type { ConfirmationAnswer, ConfirmationCounts } from '../confirmation.ts';
import { LISTS, type ListQueries } from './appointment-list-queries.sql.ts';
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
  const { queries, values } = queriesFor(caller, filter, await rangeOf(prepared, caller, filter));
  const { rows, total, more } = await (page.after
    ? pageAfter(prepared, queries, values, { ...page, after: page.after })
    : pageByNumber(prepared, queries, values, page));
  const items = await withReferences(prepared, caller, rows);
  recordSearched(caller, items);
  const last = rows.at(-1);
  return { ...page, items, total, end: more && last?.startsAt ? { at: last.startsAt, id: last.id } : null };
}

interface FoundRows {
  rows: PagedRow[];
  /** Rows of the whole list. */
  total: number;
  /** Whether rows follow. */
  more: boolean;
}

async function pageByNumber(prepared: Prepared, queries: ListQueries, values: unknown[], { page, limit }: PageRequest): Promise<FoundRows> {
  const offset = (page - 1) * limit;
  const rows = await (offset === 0
    ? prepared.rows(queries.first, [...values, limit])
    : prepared.rows(queries.page, [...values, limit, offset]));
  // A full page carries the total; a page that is not full ends the list; only an empty page beyond it needs a count.
  const last = rows.at(-1);
  const total = last || offset === 0 ? (last?.total ?? offset + rows.length) : await countOf(prepared, queries, values);
  return { rows, total, more: rows.length > 0 && offset + rows.length < total };
}

/** One row more than the page tells whether others follow. */
async function pageAfter(
  prepared: Prepared,
  queries: ListQueries,
  values: unknown[],
  { limit, after }: PageRequest & { after: StartPosition },
): Promise<FoundRows> {
  const rows = await prepared.rows(queries.after, [...values, limit + 1, after.at, after.id]);
  const total = rows[limit]?.total ?? (await countOf(prepared, queries, values));
  return { rows: rows.slice(0, limit), total, more: rows.length > limit };
}

async function countOf(prepared: Prepared, queries: ListQueries, values: unknown[]): Promise<number> {
  const [counted] = await prepared.rows(queries.count, values);
  return counted?.total ?? 0;
}

/**
 * Number of appointments by answer; cancelled ones, those without a date, and those after a patient's death are not counted.
 * @throws Failure invalid for dates that cannot be read, or that have an offset
 */
export async function countConfirmations(
  prepared: Prepared,
  caller: CallerIdentity,
  filter: AppointmentFilter,
): Promise<ConfirmationCounts> {
  const { queries, values } = queriesFor(caller, filter, await rangeOf(prepared, caller, filter, false));
  const [{ confirmed, declined, total } = { confirmed: 0, declined: 0, total: 0 }] = await prepared.rows(queries.confirmations, values);
  return { confirmed, declined, pending: total - confirmed - declined, total };
}

async function rangeOf(prepared: Prepared, caller: CallerIdentity, { dates }: AppointmentFilter, offsets = true): Promise<DateRange> {
  if (dates?.min === undefined && dates?.max === undefined) return { from: null, before: null };
  return readRange(dates, () => organizationZone(prepared, caller), { offsets });
}

/** The statements that leave the fewest rows to filter, and their values. */
function queriesFor(caller: CallerIdentity, filter: AppointmentFilter, range: DateRange): { queries: ListQueries; values: unknown[] } {
  const { typeId, locationId, confirmation, showOnTasks, providerIds } = filter;
  const { lists, leading, officeId, userIds } = leadingIndex(caller, filter);
  const values = [caller.organizationId, range.from?.toISOString() ?? '-infinity', range.before?.toISOString() ?? 'infinity', ...leading];
  const filters = [typeId, locationId, confirmation, showOnTasks].map((value) => value ?? null);
  const further = [officeId, userIds, providerIds].map((value) => value ?? null);
  if (further.some((value) => value !== null)) return { queries: lists.filteredFurther, values: [...values, ...filters, ...further] };
  if (filters.some((value) => value !== null)) return { queries: lists.filtered, values: [...values, ...filters] };
  return { queries: lists.all, values };
}

/** The index to read, its leading value, and the office and users that are left to filter by. */
function leadingIndex(caller: CallerIdentity, { userId, userIds, patientId, officeId }: AppointmentFilter) {
  if (patientId !== undefined) {
    if (userId !== undefined && userIds !== undefined) throw invalid('user[]', 'cannot be combined with user_id and a patient');
    const participants = userId === undefined ? userIds : [userId];
    return { lists: LISTS.byPatient, leading: [patientId, maySeeChart(caller, patientId)], officeId, userIds: participants };
  }
  if (userId !== undefined) return { lists: LISTS.byUser, leading: [userId], officeId, userIds };
  if (userIds?.length === 1) return { lists: LISTS.byUser, leading: userIds, officeId };
  if (userIds !== undefined) return { lists: LISTS.byUsers, leading: [userIds], officeId };
  if (officeId !== undefined) return { lists: LISTS.byOffice, leading: [officeId] };
  return { lists: LISTS.byTime, leading: [] };
}

import type { Prepared } from '../../database/statement.ts';
import { recordReadWithPatients } from '../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../caller.ts';
import { notFound } from '../errors.ts';
import { organizationZone } from '../practices/organization-zone.ts';
import { type DateRange, readRange, type WrittenRange } from '../values/date-range.ts';
import type { Page, PageRequest } from '../values/paging.ts';
import { WAYS, type Way } from './appointment-list-queries.sql.ts';
import { withReferences } from './appointment-rows.ts';
import type { ShownAppointment } from './appointment-view.ts';
import { APPOINTMENTS_BY_ID, type AppointmentRow, type PagedRow } from './appointments.sql.ts';
import type { Answers, ConfirmationAnswer } from './confirmation.ts';

/** What appointments are asked for. What is absent does not narrow; an id that the organization does not have matches nothing. */
export interface AppointmentFilter {
  dates?: WrittenRange | undefined;
  /** Who takes part. */
  userId?: number | undefined;
  /** One of whom takes part, beside userId. */
  userIds?: number[] | undefined;
  /** One of whom is its provider, or takes part as a user. */
  providerIds?: number[] | undefined;
  patientId?: number | undefined;
  typeId?: number | undefined;
  officeId?: number | undefined;
  locationId?: number | undefined;
  confirmation?: ConfirmationAnswer | undefined;
  showOnTasks?: boolean | undefined;
}

/**
 * Appointments in the order of their start, then of their id; cancelled ones, and those without a date, are left out.
 * @throws Failure invalid for dates that cannot be read
 */
export async function listAppointments(
  prepared: Prepared,
  caller: Caller,
  filter: AppointmentFilter,
  page: PageRequest,
): Promise<Page<ShownAppointment>> {
  const { way, values } = wayOf(caller, filter, await rangeOf(prepared, caller, filter));
  const offset = (page.page - 1) * page.limit;
  const rows = await (offset === 0
    ? prepared.rows(way.first, [...values, page.limit])
    : prepared.rows(way.page, [...values, page.limit, offset]));
  const items = await withReferences(prepared, caller.organizationId, rows);
  recordShown(caller, rows, 'search');
  return { ...page, items, total: await totalOf(prepared, way, values, { rows, offset }) };
}

/** A full page tells how many there are; one that is not full is the end of its list. */
async function totalOf(prepared: Prepared, way: Way, values: unknown[], { rows, offset }: { rows: PagedRow[]; offset: number }) {
  const last = rows.at(-1);
  if (last || offset === 0) return last?.total ?? offset + rows.length;
  const [counted] = await prepared.rows(way.count, values);
  return counted?.total ?? 0;
}

/**
 * How many appointments were answered how; cancelled ones, and those without a date, are not counted.
 * @throws Failure invalid for dates that cannot be read, or that have an offset
 */
export async function countAnswers(prepared: Prepared, caller: CallerIdentity, filter: AppointmentFilter): Promise<Answers> {
  const { way, values } = wayOf(caller, filter, await rangeOf(prepared, caller, filter, false));
  const [{ confirmed, declined, total } = { confirmed: 0, declined: 0, total: 0 }] = await prepared.rows(way.figures, values);
  return { confirmed, declined, pending: total - confirmed - declined, total };
}

/** One appointment, audited as read. @throws Failure not_found, also for a cancelled one */
export async function readShownAppointment(prepared: Prepared, caller: Caller, id: number): Promise<ShownAppointment> {
  const [appointment] = await showAppointments(prepared, caller, [id], 'read');
  if (!appointment) throw notFound('appointment');
  return appointment;
}

/** Those of the ids that there are, in no order, and audited. */
export async function showAppointments(
  prepared: Prepared,
  caller: Caller,
  ids: number[],
  action: 'read' | 'search',
): Promise<ShownAppointment[]> {
  const rows = await prepared.rows(APPOINTMENTS_BY_ID, [caller.organizationId, ids]);
  recordShown(caller, rows, action);
  return withReferences(prepared, caller.organizationId, rows);
}

async function rangeOf(prepared: Prepared, caller: CallerIdentity, { dates }: AppointmentFilter, offsets = true): Promise<DateRange> {
  if (dates?.min === undefined && dates?.max === undefined) return { from: null, before: null };
  return readRange(dates, () => organizationZone(prepared, caller), { offsets });
}

/** Whoever is shown an appointment is shown its patient's chart. */
function recordShown(caller: Caller, rows: AppointmentRow[], action: 'read' | 'search'): void {
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  const patientIds = [...new Set(rows.flatMap(({ p_id }) => p_id ?? []))];
  recordReadWithPatients(caller, 'appointment', { ids, patientIds }, action);
}

/** The way that leaves least to filter, and its values. */
function wayOf({ organizationId }: CallerIdentity, filter: AppointmentFilter, range: DateRange): { way: Way; values: unknown[] } {
  const { typeId, locationId, confirmation, showOnTasks, providerIds } = filter;
  const { ways, leader, officeId, userIds } = leaderOf(filter);
  const values = [organizationId, range.from?.toISOString() ?? '-infinity', range.before?.toISOString() ?? 'infinity', ...leader];
  const narrow = [typeId, locationId, confirmation, showOnTasks].map((value) => value ?? null);
  const further = [officeId, userIds, providerIds].map((value) => value ?? null);
  if (further.some((value) => value !== null)) return { way: ways.further, values: [...values, ...narrow, ...further] };
  if (narrow.some((value) => value !== null)) return { way: ways.narrowed, values: [...values, ...narrow] };
  return { way: ways.whole, values };
}

/** Who or what leads, and of the office and the users those that are left to narrow. */
function leaderOf({ userId, userIds, patientId, officeId }: AppointmentFilter) {
  if (patientId !== undefined) return { ways: WAYS.byPatient, leader: [patientId], officeId, userIds };
  if (userId !== undefined) return { ways: WAYS.byUser, leader: [userId], officeId, userIds };
  if (userIds?.length === 1) return { ways: WAYS.byUser, leader: userIds, officeId };
  if (userIds !== undefined) return { ways: WAYS.byUsers, leader: [userIds], officeId };
  if (officeId !== undefined) return { ways: WAYS.byOffice, leader: [officeId] };
  return { ways: WAYS.byTime, leader: [] };
}

import type { Prepared, Statement } from '../../../database/statements/statement.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import { type Caller, maySeeRestricted } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { cutPage, type Page, type PageRequest, toPageStart } from '../../values/paging.ts';
import type { NamedPatient } from '../shared-numbers.sql.ts';
import { type ChartFilter, soughtCharts } from './chart-filters.sql.ts';
import {
  type ListedPatient,
  type PatientFilter,
  type PatientOrder,
  patientCount,
  patientOrder,
  patientPage,
  selectListedPatients,
  selectNamedPatients,
} from './list.sql.ts';

export type { ListedPatient, NamedPatient, PatientOrder };

export interface PatientSort {
  /** `search`: by last name and first name; by first name alone where only that was searched for. */
  order: PatientOrder;
  descending: boolean;
}

/** A search: starts of the first name and of the last name, or of one of its words; and the primary office. */
export interface PatientSearch {
  lastName?: string | undefined;
  firstName?: string | undefined;
  officeId?: number | undefined;
  /** Values that the charts have besides. */
  chart?: ChartFilter;
}

/**
 * All patients of the organization, or those that a search finds. Deleted charts are never listed, restricted and blocked ones for
 * callers who may see them.
 * The patients of the page are audited as a search.
 */
export async function listPatients(
  prepared: Prepared,
  caller: Caller,
  { lastName, firstName, officeId, chart = {} }: PatientSearch,
  sort: PatientSort,
  page: PageRequest,
): Promise<Page<ListedPatient>> {
  const names = { lastName: lastName !== undefined, firstName: firstName !== undefined, office: officeId !== undefined };
  const charts = soughtCharts(chart);
  const values = [...[lastName, firstName, officeId].filter((value) => value !== undefined), ...(charts?.values ?? [])];
  const restricted = maySeeRestricted(caller);
  const filter = { ...names, ofUser: false, restricted, charts };
  return readPage(prepared, caller, { filter, values, sort, page, record: selectListedPatients(restricted) });
}

/** Names of a clinician's own patients; for other users, of all patients of the organization. Audited as listPatients. */
export function listOwnPatients(prepared: Prepared, caller: Caller, sort: PatientSort, page: PageRequest): Promise<Page<NamedPatient>> {
  const ofUser = caller.role === 'provider' && caller.userId !== null;
  const restricted = maySeeRestricted(caller);
  const filter = { lastName: false, firstName: false, office: false, ofUser, restricted };
  return readPage(prepared, caller, { filter, values: ofUser ? [caller.userId] : [], sort, page, record: selectNamedPatients(restricted) });
}

/** One patient, audited. @throws Failure not_found, also for a deleted, restricted or blocked chart */
export async function readListedPatient(prepared: Prepared, caller: Caller, id: number): Promise<ListedPatient> {
  const [patient] = await prepared.rows(selectListedPatients(maySeeRestricted(caller)), [caller.organizationId, [id]]);
  if (!patient) throw notFound('patient');
  recordRead(caller, 'patient', [id]);
  return patient;
}

interface Listing<R extends NamedPatient> {
  filter: PatientFilter;
  /** Values of the filter, in the order of its fields. */
  values: unknown[];
  sort: PatientSort;
  page: PageRequest;
  record: Statement<R>;
}

async function readPage<R extends NamedPatient>(
  prepared: Prepared,
  caller: Caller,
  { filter, values, sort, page, record }: Listing<R>,
): Promise<Page<R>> {
  const { organizationId } = caller;
  const listing = { filter, ...sort };
  const start = toPageStart(page, patientOrder(listing).name);
  const statement = patientPage(listing, values.length, start.after.length > 0);
  const found = await prepared.rows(statement, [organizationId, start.limit, start.offset, ...values, ...start.after]);
  const count = () => prepared.rows(patientCount(filter), [organizationId, ...values]);
  const { rows: ids, total, end } = await cutPage(page, found, ({ position }) => position, count);
  const rows = ids.length > 0 ? await prepared.rows(record, [organizationId, ids.map(({ id }) => id)]) : [];
  const byId = new Map(rows.map((row) => [row.id, row]));
  // A patient who was deleted between the two statements is left out.
  const items = ids.flatMap(({ id }) => byId.get(id) ?? []);
  if (items.length > 0)
    recordRead(
      caller,
      'patient',
      items.map(({ id }) => id),
      'search',
    );
  return { ...page, items, total, end };
}

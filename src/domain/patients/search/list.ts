import type { Statement } from '../../../database/statements/statement.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import { maySeeRestricted } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
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
  tx: Tx,
  { lastName, firstName, officeId, chart = {} }: PatientSearch,
  sort: PatientSort,
  page: PageRequest,
): Promise<Page<ListedPatient>> {
  const names = { lastName: lastName !== undefined, firstName: firstName !== undefined, office: officeId !== undefined };
  const charts = soughtCharts(chart);
  const values = [...[lastName, firstName, officeId].filter((value) => value !== undefined), ...(charts?.values ?? [])];
  const restricted = maySeeRestricted(tx);
  const filter = { ...names, ofUser: false, restricted, charts };
  return readPage(tx, { filter, values, sort, page, record: selectListedPatients(restricted) });
}

/** Names of a clinician's own patients; for other users, of all patients of the organization. Audited as listPatients. */
export function listOwnPatients(tx: Tx, sort: PatientSort, page: PageRequest): Promise<Page<NamedPatient>> {
  const ofUser = tx.role === 'provider' && tx.userId !== null;
  const restricted = maySeeRestricted(tx);
  const filter = { lastName: false, firstName: false, office: false, ofUser, restricted };
  return readPage(tx, { filter, values: ofUser ? [tx.userId] : [], sort, page, record: selectNamedPatients(restricted) });
}

/** One patient, audited. @throws Failure not_found, also for a deleted, restricted or blocked chart */
export async function readListedPatient(tx: Tx, id: number): Promise<ListedPatient> {
  const [patient] = await tx.rows(selectListedPatients(maySeeRestricted(tx)), [[id]]);
  if (!patient) throw notFound('patient');
  recordRead(tx, 'patient', [id]);
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

async function readPage<R extends NamedPatient>(tx: Tx, { filter, values, sort, page, record }: Listing<R>): Promise<Page<R>> {
  const listing = { filter, ...sort };
  const start = toPageStart(page, patientOrder(listing).name);
  const statement = patientPage(listing, values.length, start.after.length > 0);
  const found = await tx.rows(statement, [start.limit, start.offset, ...values, ...start.after]);
  const count = () => tx.rows(patientCount(filter), [...values]);
  const { rows: ids, total, end } = await cutPage(page, found, ({ position }) => position, count);
  const rows = ids.length > 0 ? await tx.rows(record, [ids.map(({ id }) => id)]) : [];
  const byId = new Map(rows.map((row) => [row.id, row]));
  // A patient who was deleted between the two statements is left out.
  const items = ids.flatMap(({ id }) => byId.get(id) ?? []);
  if (items.length > 0)
    recordRead(
      tx,
      'patient',
      items.map(({ id }) => id),
      'search',
    );
  return { ...page, items, total, end };
}

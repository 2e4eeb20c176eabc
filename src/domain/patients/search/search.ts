import type { Prepared } from '../../../database/statements/statement.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import { type Caller, maySeeRestricted } from '../../caller.ts';
import { todayAt } from '../../practices/organization-zone.ts';
import { PATIENT_RECORDS_BY_IDS, type PatientRecord } from '../record/record.sql.ts';
import { type ChartFilter, soughtCharts } from './chart-filters.sql.ts';
import { type FoundPage, type SearchStatements, searchStatements } from './search.sql.ts';

/** Starts of names, and the primary office; null does not filter. */
export interface PatientQuery {
  lastName: string | null;
  firstName: string | null;
  officeId: number | null;
  /** Values that the charts have besides. */
  chart?: ChartFilter;
}

export interface SearchWindow {
  limit: number;
  /** Rows to skip; ignored where `after` is a patient of the list. */
  offset: number;
  /** The last patient of the page before. */
  after: number | null;
}

export interface FoundPatients {
  /** Number of patients in the whole list. */
  total: number;
  records: PatientRecord[];
  /** Start of the next page; null on the last one. */
  next: { offset: number; after: number } | null;
}

/**
 * A page of the patients whose names begin with these texts, sorted by last name, or by first name where that alone is
 * given. Any later word of a last name matches too. Deleted charts are not listed; restricted and blocked ones
 * are, for callers who may see them.
 *
 * A page that begins after a patient stays in place when patients before it are added or removed; where that patient is no
 * longer in the list, the offset is used.
 */
export async function searchPatients(
  prepared: Prepared,
  caller: Caller,
  { lastName, firstName, officeId, chart = {} }: PatientQuery,
  window: SearchWindow,
): Promise<FoundPatients> {
  const kind = { lastName: lastName !== null, firstName: firstName !== null, office: officeId !== null };
  const charts = soughtCharts(chart);
  const statements = searchStatements({ ...kind, restricted: maySeeRestricted(caller) }, charts);
  const names = [lastName, firstName, officeId].filter((value) => value !== null);
  const values = [caller.organizationId, ...names, ...(charts?.values ?? [])];
  const page = await findPage(prepared, statements, values, window);
  const found = readIds(page);
  const ids = found.slice(0, window.limit);
  const records = await readPatientRecords(prepared, caller, ids);
  const last = ids.at(-1);
  const more = found.length > window.limit && last !== undefined;
  return { total: page?.total ?? 0, records, next: more ? { offset: window.offset + ids.length, after: last } : null };
}

/** Ids of a page in order, and one more where it is not the last. */
async function findPage(
  prepared: Prepared,
  { page, pageAfter, position }: SearchStatements,
  values: unknown[],
  { limit, offset, after }: SearchWindow,
): Promise<FoundPage | undefined> {
  const [start] = after === null ? [] : await prepared.rows(position, [...values, after]);
  const [found] = start
    ? await prepared.rows(pageAfter, [...values, limit, start.lastKey, start.firstKey, after])
    : await prepared.rows(page, [...values, limit, offset]);
  return found;
}

function readIds(found: FoundPage | undefined): number[] {
  const ids = found?.ids.slice(1, -1) ?? '';
  return ids === '' ? [] : ids.split(',').map(Number);
}

/** Records in the order of the ids, audited as found. A patient who was deleted since is left out. */
export async function readPatientRecords(prepared: Prepared, caller: Caller, ids: number[]): Promise<PatientRecord[]> {
  if (ids.length === 0) return [];
  const rows = await prepared.rows(PATIENT_RECORDS_BY_IDS, [caller.organizationId, `{${ids.join(',')}}`, await todayAt(prepared, caller)]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const records = ids.flatMap((id) => byId.get(id) ?? []);
  recordRead(
    caller,
    'patient',
    records.map(({ id }) => id),
    'search',
  );
  return records;
}

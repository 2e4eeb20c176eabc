import { recordRead } from '../../audit/journal-entries.ts';
import { maySeeRestricted } from '../../caller.ts';
import { todayAt } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { type OffsetWindow, startOfWindow } from '../../values/paging.ts';
import { PATIENT_RECORDS_BY_IDS, type PatientRecord } from '../record/record.sql.ts';
import { type ChartFilter, soughtCharts } from './chart-filters.sql.ts';
import { type FoundPage, searchStatements } from './search.sql.ts';

/** Starts of names, and the primary office; null does not filter. */
export interface PatientQuery {
  lastName: string | null;
  firstName: string | null;
  officeId: number | null;
  /** Values that the charts have besides. */
  chart?: ChartFilter;
}

export interface FoundPatients {
  /** Number of patients in the whole list. */
  total: number;
  records: PatientRecord[];
  /** The position of the last patient of the page; null on the last one. */
  end: string | null;
}

/**
 * A page of the patients whose names begin with these texts, sorted by last name, or by first name where that alone is
 * given. Any later word of a last name matches too. Deleted charts are not listed; restricted and blocked ones
 * are, for callers who may see them.
 */
export async function searchPatients(
  tx: Tx,
  { lastName, firstName, officeId, chart = {} }: PatientQuery,
  window: OffsetWindow,
): Promise<FoundPatients> {
  const kind = { lastName: lastName !== null, firstName: firstName !== null, office: officeId !== null };
  const charts = soughtCharts(chart);
  const statements = searchStatements({ ...kind, restricted: maySeeRestricted(tx) }, charts);
  const names = [lastName, firstName, officeId].filter((value) => value !== null);
  const values = [...names, ...(charts?.values ?? [])];
  const { limit, offset, after } = startOfWindow(window, statements.order.name);
  const statement = after.length > 0 ? statements.pageAfter : statements.page;
  const [page] = await tx.rows(statement, [...values, limit, offset, ...after]);
  const found = readIds(page);
  const records = await readPatientRecords(tx, found.slice(0, window.limit));
  return { total: page?.total ?? 0, records, end: found.length > window.limit ? (page?.end ?? null) : null };
}

function readIds(found: FoundPage | undefined): number[] {
  const ids = found?.ids.slice(1, -1) ?? '';
  return ids === '' ? [] : ids.split(',').map(Number);
}

/** Records in the order of the ids, audited as found. A patient who was deleted since is left out. */
export async function readPatientRecords(tx: Tx, ids: number[]): Promise<PatientRecord[]> {
  if (ids.length === 0) return [];
  const rows = await tx.rows(PATIENT_RECORDS_BY_IDS, [`{${ids.join(',')}}`, await todayAt(tx)]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const records = ids.flatMap((id) => byId.get(id) ?? []);
  recordRead(
    tx,
    'patient',
    records.map(({ id }) => id),
    'search',
  );
  return records;
}

import { recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { countTotal, type Page, type PageRequest } from '../../values/paging.ts';
import { PATIENT_IS_LISTED, type VisitKind, type VisitRows, type VisitScope, visitCount, visitOfKind, visitPage } from './visits.sql.ts';

export type { VisitScope };

/** A visit by video or in a waiting room, with the organization's time zone. */
export type Visit<S extends VisitScope = 'both'> = VisitRows[S] & { timeZone: string };

const NOUNS = { telehealth: 'telehealth visit', waiting_room: 'waiting room visit' } as const;

/** One visit, audited. @throws Failure not_found; also for one of a deleted, a restricted or a blocked chart */
export async function readVisit<K extends VisitKind>(tx: Tx, kind: K, id: number): Promise<Visit<K>> {
  const [visit] = await tx.rows(visitOfKind(kind), [id]);
  if (!visit) throw notFound(NOUNS[kind]);
  recordVisits(tx, [visit], 'read');
  return { ...visit, timeZone: await organizationZone(tx) };
}

/** Visits of one patient, ordered by when they began. */
export interface VisitListing<S extends VisitScope> {
  patientId: number;
  scope: S;
  descending: boolean;
}

/** A patient's visits, audited. @throws Failure not_found; also for a deleted, a restricted or a blocked chart */
export async function listVisits<S extends VisitScope>(
  tx: Tx,
  { patientId, scope, descending }: VisitListing<S>,
  page: PageRequest,
): Promise<Page<Visit<S>>> {
  const timeZone = await organizationZone(tx);
  const [listed] = await tx.rows(PATIENT_IS_LISTED, [patientId]);
  if (!listed) throw notFound('patient');
  const offset = (page.page - 1) * page.limit;
  const rows = await tx.rows(visitPage(scope, descending), [patientId, page.limit, offset]);
  const total = await countTotal(page, rows.length, () => tx.rows(visitCount(scope), [patientId]));
  recordVisits(tx, rows, 'search');
  return { ...page, items: rows.map((row) => ({ ...row, timeZone })), total };
}

function recordVisits(caller: Caller, rows: VisitRows['both'][], action: 'read' | 'search'): void {
  for (const kind of ['telehealth', 'waiting_room'] as const) {
    const shown = rows.filter((row) => row.kind === kind);
    const patientIds = [...new Set(shown.flatMap(({ patient_id }) => patient_id ?? []))];
    if (shown.length > 0)
      recordReadWithPatients(caller, NOUNS[kind].replaceAll(' ', '_'), { ids: shown.map(({ id }) => id), patientIds }, action);
  }
}

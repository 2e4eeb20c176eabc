import type { Db } from '../../../database/database.ts';
import type { Prepared } from '../../../database/statements/statement.ts';
import type { Patient } from '../../../generated/prisma/client.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { type Page, type PageRequest, totalOf, window } from '../../values/paging.ts';
import { POSSIBLE_DUPLICATES } from './duplicates.sql.ts';

/** Two charts that may be of one person. */
export interface Duplicate {
  /** By id. */
  patients: Pick<Patient, 'id' | 'firstName' | 'lastName' | 'birthDate'>[];
  /** From 0 to 1. */
  score: number;
  reasons: string[];
}

/** Pairs of charts that may be of one person, the surest first. Audited as a search. */
export async function listDuplicates(db: Db, prepared: Prepared, caller: Caller, page: PageRequest): Promise<Page<Duplicate>> {
  const { organizationId } = caller;
  const { skip, take } = window(page);
  const rows = await prepared.rows(POSSIBLE_DUPLICATES, [organizationId, take, skip]);
  const total = await totalOf(page, rows.length, () => prepared.rows(POSSIBLE_DUPLICATES, [organizationId, 1, 0]));
  const ids = [...new Set(rows.flatMap(({ one, other }) => [one, other]))];
  const patients = await db.patient.findMany({
    where: { organizationId, id: { in: ids } },
    select: { id: true, firstName: true, lastName: true, birthDate: true },
  });
  if (ids.length > 0) recordRead(caller, 'patient', ids, 'search');
  const items = rows.map(({ one, other, score, reasons }) => ({
    patients: [one, other].flatMap((id) => patients.find((patient) => patient.id === id) ?? []),
    score: score / 100,
    reasons,
  }));
  return { ...page, items, total };
}

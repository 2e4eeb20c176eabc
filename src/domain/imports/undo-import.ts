import { statement } from '../../database/statements/statement.ts';
import { conflict } from '../errors.ts';
import { removeUnusedChart } from '../patient-rights/remove-unused-chart.ts';
import type { Tx } from '../tx.ts';
import { findImport, importRequestId } from './import-runs.ts';
import { endUpload } from './import-uploads.ts';

/** The charts that an import has created and that still exist. Values: organization, request of the import, when the import was created. */
const NEW_CHARTS = statement<{ id: number }>(
  'new_charts_of_import',
  `SELECT p.id FROM patient p
     JOIN event e ON e.organization_id = $1::int AND e.subject_type = 'patient' AND e.subject_id = p.id
      AND e.name = 'patient.imported' AND e.request_id = $2::text AND e.occurred_at >= $3::timestamptz
    WHERE p.organization_id = $1::int ORDER BY p.id`,
);

/** Whether events still name the new charts of an import. Values as those of NEW_CHARTS. */
const IS_KNOWN = statement<{ isKnown: boolean }>(
  'is_import_known',
  `SELECT EXISTS (
     SELECT FROM event e WHERE e.organization_id = $1::int AND e.subject_type = 'patient'
        AND e.name = 'patient.imported' AND e.request_id = $2::text AND e.occurred_at >= $3::timestamptz) AS "isKnown"`,
);

/** Writes in a transaction of its own, with its journal. */
type Write = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

interface Undone {
  removed: number;
  /** Charts that something refers to, with the titles of that. */
  kept: { patientId: number; uses: string[] }[];
}

/**
 * Removes the charts that an import has created, each in a transaction: after a kill, the next run removes the others. Charts that it has updated
 * stay as they are. An import that has not ended ends first.
 * @param onProgress called after each chart
 * @throws Failure not_found; conflict for an import of another kind, or one whose events are no longer kept
 */
export async function undoImport(write: Write, id: number, onProgress: (done: number, of: number) => void): Promise<Undone> {
  const requestId = importRequestId(id);
  const charts = await write(async (tx) => {
    const run = await findImport(tx, id);
    if (run.kind !== 'patients') throw conflict('import_kind', `Only imports of patients can be undone; this one is of ${run.kind}.`);
    if (run.finishedAt === null) await endUpload(tx, id, 'The import was undone.');
    // Events have the time of the database; clocks may differ by minutes.
    const since = new Date(run.createdAt.getTime() - 3_600_000);
    const values = [requestId, since];
    const [known] = run.created > 0 && !run.dryRun ? await tx.rows(IS_KNOWN, values) : [{ isKnown: true }];
    if (!known?.isKnown) throw conflict('import_forgotten', 'The events that name the new charts of this import are no longer kept.');
    return tx.rows(NEW_CHARTS, values);
  });
  const undone: Undone = { removed: 0, kept: [] };
  for (const [index, { id: patientId }] of charts.entries()) {
    const uses = await write((tx) => removeUnusedChart(tx, patientId, { requestId, detail: `import ${id} undone` }));
    if (uses?.length === 0) undone.removed += 1;
    else if (uses) undone.kept.push({ patientId, uses });
    onProgress(index + 1, charts.length);
  }
  return undone;
}

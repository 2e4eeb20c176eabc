import { statement } from '../../database/statements/statement.ts';
import { recordChange } from '../audit/journal-entries.ts';
import { withdrawCharts } from '../patients/chart/withdrawn-charts.ts';
import type { Tx } from '../tx.ts';
import { readHeld } from './legal-holds.ts';
import { PATIENT_TABLES } from './patient-tables.ts';

/** Tables whose rows come with a chart that is imported, and go with it. */
const OF_NEW_CHART = ['patient', 'patient_registration', 'import_report_row'];

/** Locks a chart, so that nothing can refer to it from now on. Values: organization, chart. */
const LOCK_UNUSED = statement<{ id: number }>(
  'lock_unused_chart',
  'SELECT id FROM patient WHERE organization_id = $1::int AND id = $2::int FOR UPDATE',
);

const isAnyIn = (table: string, columns: readonly string[], title: string): string =>
  `SELECT '${title}' AS title WHERE EXISTS (
     SELECT FROM ${table} t WHERE t.organization_id = $1::int AND (${columns.map((column) => `t.${column} = $2::int`).join(' OR ')}))`;

/** The titles of what refers to a chart. The contact of a chart has its id. Values: organization, chart, request that made it. */
const USES = statement<{ title: string }>(
  'uses_of_chart',
  [
    isAnyIn('patient', ['enterprise_id', 'merged_into_id'], 'Other charts of the person'),
    ...PATIENT_TABLES.filter(({ table }) => !OF_NEW_CHART.includes(table)).flatMap(({ table, title, links }) => {
      const columns = links.flatMap(({ column, from }) => (from === undefined || from === 'contact.id' ? column : []));
      return columns.length === 0 ? [] : isAnyIn(table, columns, title);
    }),
    `SELECT 'Later changes' AS title WHERE EXISTS (
       SELECT FROM event e WHERE e.organization_id = $1::int AND e.subject_type = 'patient' AND e.subject_id = $2::int
          AND e.request_id IS DISTINCT FROM $3::text)`,
  ].join('\n UNION ALL '),
);

/** Values: organization, chart. */
const REMOVE_UNUSED = statement<never>('remove_unused_chart', 'DELETE FROM patient WHERE organization_id = $1::int AND id = $2::int');

/**
 * Removes a chart to which nothing refers and which nobody has changed since it was made. Its numbers are free again.
 * @param requestId of the request that made the chart
 * @param detail what the audit says of the removal
 * @returns titles of what keeps the chart, none if it was removed; null if it was gone already
 */
export async function removeUnusedChart(
  tx: Tx,
  id: number,
  { requestId, detail }: { requestId: string; detail: string },
): Promise<string[] | null> {
  const [chart] = await tx.rows(LOCK_UNUSED, [id]);
  if (!chart) return null;
  const held = await readHeld(tx);
  if (held.practice || held.charts.includes(id)) return ['Legal holds'];
  const uses = await tx.rows(USES, [id, requestId]);
  if (uses.length > 0) return uses.map(({ title }) => title);
  await tx.rows(REMOVE_UNUSED, [id]);
  recordChange(tx, 'delete', { name: 'patient.erased', id }, [], detail);
  withdrawCharts(tx, [id]);
  return [];
}

import type { PracticeRows } from '../../database/statements/practice-rows.ts';
import { statement } from '../../database/statements/statement.ts';
import { notFound } from '../errors.ts';

/**
 * SQL: whether the chart `p` is of the person of the chart `one`, in the same practice. Each part is a key or an index of its own; compared as
 * coalesce(enterprise_id, id), every chart of the practice would be read.
 */
export const IS_SAME_PERSON = `(p.enterprise_id = coalesce(one.enterprise_id, one.id)
  OR p.merged_into_id = coalesce(one.merged_into_id, one.id)
  OR (p.id = coalesce(one.merged_into_id, one.enterprise_id, one.id) AND p.enterprise_id IS NULL))`;

/** Values: organization, chart. */
export const CHARTS_OF_PERSON = statement<{ id: number }>(
  'charts_of_person',
  `SELECT p.id FROM patient p
     JOIN patient one ON one.organization_id = p.organization_id AND one.id = $2::int
    WHERE p.organization_id = $1::int AND ${IS_SAME_PERSON}
    ORDER BY p.enterprise_id IS NOT NULL, p.id`,
);

/** All charts of the person of a chart: that of the practice first, then its departmental copies and those that were merged into it. @throws Failure not_found */
export async function chartsOfPerson(tx: PracticeRows, patientId: number): Promise<number[]> {
  const charts = (await tx.rows(CHARTS_OF_PERSON, [patientId])).map(({ id }) => id);
  if (charts.length === 0) throw notFound('patient');
  return charts;
}

import { type Prepared, statement } from '../../database/statement.ts';
import { notFound } from '../errors.ts';

const CHARTS_OF_PERSON = statement<{ id: number }>(
  'charts_of_person',
  `SELECT p.id FROM patient p
     JOIN patient one ON one.organization_id = p.organization_id AND one.id = $2::int
    WHERE p.organization_id = $1::int AND coalesce(p.enterprise_id, p.id) = coalesce(one.enterprise_id, one.id)
    ORDER BY p.enterprise_id IS NOT NULL, p.id`,
);

/** All charts of the person of a chart: that of the practice first, then its departmental copies, deleted ones too. @throws Failure not_found */
export async function chartsOfPerson(tx: Prepared, organizationId: number, patientId: number): Promise<number[]> {
  const charts = (await tx.rows(CHARTS_OF_PERSON, [organizationId, patientId])).map(({ id }) => id);
  if (charts.length === 0) throw notFound('patient');
  return charts;
}

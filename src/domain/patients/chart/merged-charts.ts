import { type Prepared, statement } from '../../../database/statements/statement.ts';

/** Values: organization, charts. */
const MERGED_INTO = statement<{ id: number; mergedIntoId: number }>(
  'merged_into',
  `SELECT p.id, p.merged_into_id AS "mergedIntoId" FROM patient p
    WHERE p.organization_id = $1 AND p.id = ANY ($2::int[]) AND p.merged_into_id IS NOT NULL`,
);

/** The charts to which these lead, of those that were merged into others. */
export const findWinners = async (
  prepared: Prepared,
  organizationId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> =>
  new Map((await prepared.rows(MERGED_INTO, [organizationId, ids])).map((row) => [row.id, row.mergedIntoId]));

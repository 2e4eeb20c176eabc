import { statement } from '../../../database/statements/statement.ts';
import { maySeeRestricted } from '../../caller.ts';
import type { Tx } from '../../tx.ts';
import { unrestrictedUnless } from '../restrictions/restricted-charts.sql.ts';

/** Values: organization, charts, whether restricted charts may be seen. */
const MERGED_INTO = statement<{ id: number; mergedIntoId: number }>(
  'merged_into',
  `SELECT p.id, w.id AS "mergedIntoId" FROM patient p JOIN patient w ON w.organization_id = $1 AND w.id = p.merged_into_id
    WHERE p.organization_id = $1 AND p.id = ANY ($2::int[]) AND ${unrestrictedUnless('w', '$3')}`,
);

/** The charts to which these lead, of those that were merged into others: as far as the caller may see them. */
export async function findWinners(tx: Tx, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await tx.rows(MERGED_INTO, [ids, maySeeRestricted(tx)]);
  return new Map(rows.map((row) => [row.id, row.mergedIntoId]));
}

import type { Db } from '../database/database.ts';
import { preparedIn, statement } from '../database/statements/statement.ts';
import type { CallerIdentity } from '../domain/caller.ts';

/** Foreign keys that keep a row from being deleted. Values: table. */
const FOREIGN_KEYS = statement<{ table: string; column: string }>(
  'foreign_keys_to_table',
  `SELECT c.conrelid::regclass::text AS "table", quote_ident(a.attname) AS "column"
     FROM pg_constraint c
     JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND a.attname <> 'organization_id'
    WHERE c.contype = 'f' AND c.confrelid = $1::text::regclass AND c.confdeltype IN ('a', 'r') AND c.conparentid = 0
    ORDER BY 1, 2`,
);

/**
 * Lists the records that keep a row of a practice's settings from being deleted, such as `3 appointments`. Rows that are deleted with it do not count.
 * @param without tables that are not looked through
 */
export async function findReferrers(
  db: Db,
  { organizationId }: CallerIdentity,
  table: string,
  id: number,
  without: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const found: string[] = [];
  for (const key of await preparedIn(db).rows(FOREIGN_KEYS, [`"${table}"`])) {
    const name = key.table.replaceAll('"', '');
    if (without.has(name)) continue;
    const sql = `SELECT count(*)::int AS count FROM ${key.table} r WHERE r.organization_id = $1 AND r.${key.column} = $2`;
    const [counted] = await preparedIn(db).rows(statement<{ count: number }>(`referrers_${name}_${key.column}`, sql), [organizationId, id]);
    const count = counted?.count ?? 0;
    if (count > 0) found.push(`${count} ${name.replaceAll('_', ' ')}${count === 1 ? '' : 's'}`);
  }
  return found;
}

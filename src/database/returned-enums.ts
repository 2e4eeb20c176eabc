/** Columns of enums in what a statement of Prisma returns, which it has written as texts. */
const CAST = /("[^"]+"\."[^"]+"\."[^"]+")::text(?!\[)/g;
const WRITES = /^(?:INSERT|UPDATE|DELETE) /;
/** Prisma makes few distinct texts; those of raw statements have no end. */
const MOST_KNOWN = 2_000;

const known = new Map<string, string>();

/**
 * A statement of Prisma that returns enums as they are. The driver reads them as texts either way, and where rows are on several nodes none
 * may be converted in RETURNING: the conversion counts as one whose result may change.
 */
export function withPlainEnums(sql: string): string {
  const found = known.get(sql);
  if (found !== undefined) return found;
  const place = WRITES.test(sql) ? sql.lastIndexOf(' RETURNING ') : -1;
  const plain = place < 0 ? sql : sql.slice(0, place) + sql.slice(place).replaceAll(CAST, '$1');
  if (known.size < MOST_KNOWN) known.set(sql, plain);
  return plain;
}

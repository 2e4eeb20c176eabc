/** Columns of enums in what a statement of Prisma returns, which it has written as texts. */
const CAST = /("[^"]+"\."[^"]+"\."[^"]+")::text(?!\[)/g;
/** Parameters that it converts from texts to enums, beside which no text is needed: the driver sends each as a text of no type. */
const PARAMETER = /CAST\((\$\d+)::text AS ("[^"]+"\."[^"]+")\)/g;
const WRITES = /^(?:INSERT|UPDATE|DELETE) /;
/** Prisma makes few distinct texts; those of raw statements have no end. */
const MOST_KNOWN = 2_000;

const known = new Map<string, string>();

/**
 * A statement of Prisma that takes and returns enums as they are. The driver sends and reads them as texts either way, and where rows are on
 * several nodes none may be converted in RETURNING or DO UPDATE: the conversion counts as one whose result may change.
 */
export function withPlainEnums(sql: string): string {
  const found = known.get(sql);
  if (found !== undefined) return found;
  const plain = WRITES.test(sql) ? withoutCasts(sql) : sql;
  if (known.size < MOST_KNOWN) known.set(sql, plain);
  return plain;
}

function withoutCasts(sql: string): string {
  const place = sql.lastIndexOf(' RETURNING ');
  const end = place < 0 ? sql.length : place;
  return sql.slice(0, end).replaceAll(PARAMETER, '$1::$2') + sql.slice(end).replaceAll(CAST, '$1');
}

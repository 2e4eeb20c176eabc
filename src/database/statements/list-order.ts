/** A term of the order of a list, in SQL. Where it may be null, such rows come last in both directions. */
export interface SortTerm {
  sql: string;
  isNullable?: boolean;
}

/** The order of a list. The values of its terms differ between any two rows: they are the position of a row. */
export interface ListOrder {
  /** Part of each position: one of another order is not taken. */
  name: string;
  /** The terms behind ORDER BY. */
  by: string;
  /** The position of a row, as JSON: the name and the values of the terms. */
  position: string;
  /** Whether a row comes after a position. @param value SQL of the value of a term, which is counted from 0 */
  after(value: (term: number) => string): string;
}

export function listOrder(name: string, terms: readonly SortTerm[], descending = false): ListOrder {
  const direction = descending ? 'DESC' : 'ASC';
  const beyond = descending ? '<' : '>';
  const list = (write: (term: SortTerm, index: number) => string) => terms.map(write).join(', ');
  const isAfter = (value: (term: number) => string, from = 0): string => {
    const [term, ...others] = terms.slice(from);
    if (!term) return 'false';
    const later = term.isNullable
      ? `(${term.sql} ${beyond} ${value(from)} OR (${term.sql} IS NULL AND ${value(from)}::text IS NOT NULL))`
      : `${term.sql} ${beyond} ${value(from)}`;
    if (others.length === 0) return later;
    const same = term.isNullable ? 'IS NOT DISTINCT FROM' : '=';
    return `(${later} OR (${term.sql} ${same} ${value(from)} AND ${isAfter(value, from + 1)}))`;
  };
  return {
    name,
    by: list(({ sql, isNullable }) => `${sql} ${direction}${isNullable ? ' NULLS LAST' : ''}`),
    position: `json_build_array('${name}', ${list(({ sql }) => `(${sql})::text`)})::text`,
    // One comparison of rows is a range of an index.
    after: (value) =>
      terms.some(({ isNullable }) => isNullable)
        ? isAfter(value)
        : `(${list(({ sql }) => sql)}) ${beyond} (${list((_, index) => value(index))})`,
  };
}

import type pg from 'pg';
import { type Packed, type Statement, statement } from './statement.ts';

/** The separator of values: the "unit separator" of ASCII, which hardly any text contains. */
const SEPARATOR = '\u001f';
/** NULL: the "record separator" of ASCII. A text that is this character alone is read as null. */
const NULL_VALUE = '\u001e';

type Kind = 'int' | 'bool' | 'json';
interface Typed<K extends Kind> {
  kind: K;
  sql: string;
}

/** The SQL of a value, with its kind where it is not a text. */
type Column<T> = [NonNullable<T>] extends [number]
  ? Typed<'int'>
  : [NonNullable<T>] extends [boolean]
    ? Typed<'bool'>
    : [NonNullable<T>] extends [string]
      ? string
      : Typed<'json'>;

export type Columns<R> = { readonly [F in keyof R]-?: Column<R[F]> };

export const int = (sql: string): Typed<'int'> => ({ kind: 'int', sql });
export const bool = (sql: string): Typed<'bool'> => ({ kind: 'bool', sql });
export const json = (sql: string): Typed<'json'> => ({ kind: 'json', sql });

type Reader = (written: string) => unknown;
const READERS: Record<Kind, Reader> = { int: Number, bool: (written) => written === 'true', json: (written) => JSON.parse(written) };

interface NamedColumn {
  field: string;
  sql: string;
  read: Reader | undefined;
}

const named = (columns: Readonly<Record<string, string | Typed<Kind>>>): NamedColumn[] =>
  Object.entries(columns).map(([field, column]) =>
    typeof column === 'string' ? { field, sql: column, read: undefined } : { field, sql: column.sql, read: READERS[column.kind] },
  );

/** The select list, column by column. */
export const selected = <R>(columns: Columns<R>): string =>
  named(columns)
    .map(({ field, sql }) => `${sql} AS "${field}"`)
    .join(', ');

/**
 * @param columns 99 at most: `concat_ws` takes no more
 * @param around the statement around the select list
 */
export function packedStatement<R extends pg.QueryResultRow>(
  name: string,
  columns: Columns<R>,
  around: (selection: string) => string,
): Statement<R> {
  const all = named(columns);
  const values = all.map(({ sql }) => `coalesce((${sql})::text, E'\\x1e')`).join(', ');
  const text = around(`concat_ws(E'\\x1f', ${values}) AS packed`);
  const byColumns = statement<R>(`${name}_by_columns`, around(selected(columns)));
  return { name, text, packed: { byColumns, unpack: unpacker<R>(all) } };
}

function unpacker<R extends pg.QueryResultRow>(columns: readonly NamedColumn[]): Packed<R>['unpack'] {
  // Copying an object is faster than adding each field to a new one.
  const empty: Record<string, unknown> = Object.fromEntries(columns.map(({ field }) => [field, null]));
  const rowOf = (packed: string): R | null => {
    const values = packed.split(SEPARATOR);
    if (values.length !== columns.length) return null;
    const row = { ...empty };
    for (let at = 0; at < columns.length; at += 1) {
      const column = columns[at];
      const value = values[at];
      if (column && value !== undefined && value !== NULL_VALUE) row[column.field] = column.read ? column.read(value) : value;
    }
    // biome-ignore lint/nursery/noUnsafeTypeAssertion: the columns are those of R, each of the kind that its type asks for
    return row as R;
  };
  return (rows) => {
    const unpacked: R[] = [];
    for (const [packed = ''] of rows) {
      const row = rowOf(packed);
      if (row === null) return null;
      unpacked.push(row);
    }
    return unpacked;
  };
}

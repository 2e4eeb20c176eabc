import { type ListOrder, listOrder, type SortTerm } from './list-order.ts';
import { type Statement, statement, unnamed } from './statement.ts';

/** A condition that statements of a list have where it has a value. */
export interface Filter<T> {
  /** SQL type of its parameter; those of the parts of a tuple; or an empty list where it is only given or not. */
  types: string | readonly string[];
  /** @param values the parameters */
  where(...values: string[]): string;
  /** Has no value: it only carries the type `T`. */
  readonly value?: T;
}

export const filter = <T>(types: Filter<T>['types'], where: Filter<T>['where']): Filter<T> => ({ types, where });

export type Filters = Readonly<Record<string, Filter<unknown>>>;

/** Values of filters; one that is absent does not filter. */
export type FilterValues<F extends Filters> = { [K in keyof F]?: (F[K] extends Filter<infer T> ? T : never) | undefined };

/** A select list, with the type of its rows. */
export interface Selected<R> {
  sql: string;
  /** Has no value. */
  readonly row?: R;
}

export const select = <R>(sql: string): Selected<R> => ({ sql });

/** An order of a list; its last term is unique. */
export interface SortOrder {
  terms: readonly SortTerm[];
  /** JOIN of what only this order reads. */
  join?: string;
  /** Name of the positions in it, where it is not that of the list with the order and its direction. */
  position?: string;
}

export const sortBy = (...terms: (string | SortTerm)[]): SortOrder => ({
  terms: terms.map((term) => (typeof term === 'string' ? { sql: term } : term)),
});

/** A term of an order that may be null. */
export const nullable = (sql: string): SortTerm => ({ sql, isNullable: true });

export interface Sort<O extends string> {
  order: O;
  descending: boolean;
}

/** Parts of the statement of a page. */
export interface PageParts {
  /** The rows of the page with their position as `cursor`, and their `place` in the whole list, from 1 on. */
  page: string;
  /** FROM and WHERE of the whole list. */
  rows: string;
  /** The place of the last row that the page has room for. */
  last: string;
}

export interface ListParts<R, F extends Filters, O extends string> {
  /** Begins the names of its statements and its positions. */
  name: string;
  select: Selected<R>;
  from: string;
  /** JOINs that neither add nor remove rows: a count leaves them out. */
  joins?: string;
  /** Holds for all rows. Values: the practice, then those that each page is given. */
  where: string;
  /** Holds for the rows of pages and of their count, and not for totals. */
  shown?: string;
  filters: F;
  orders: Readonly<Record<O, SortOrder>>;
  /** Hides the limit of a first page from the planner, which would otherwise replan a list that it estimates as long for each limit. */
  hidesLimit?: boolean;
  /** Writes more around a page, whose rows are then to be ordered by `place`. */
  wrap?(parts: PageParts): string;
}

/** The place where a page begins: the start of the list, after a number of rows, or after a position. */
export type PageBegin = (typeof BEGINS)[number];
const BEGINS = ['first', 'page', 'after'] as const;

/** Columns that the rows of a page have besides. */
interface OfPage {
  /** Their position. */
  cursor: string;
  /** The number of rows of the whole list, where a statement counts them too, on the last row that the page has room for. */
  total?: number | null;
}

/** The statements of a list. Values: those of `where`, those of the filters, then the limit, then the offset or the position. */
export interface List<R, F extends Filters, O extends string> {
  order(sort: Sort<O>): ListOrder;
  page(sort: Sort<O>, given?: FilterValues<F>, begin?: PageBegin): Statement<R & OfPage>;
  count(given?: FilterValues<F>): Statement<{ total: number }>;
  /** Figures of the rows that fulfil a condition, besides. */
  totals<T extends object>(figures: { name: string; columns: string; where: string }, given?: FilterValues<F>): Statement<T>;
  /** The values of filters, in the order of their parameters. */
  values(given: FilterValues<F>): unknown[];
}

/** The orders that a list has. */
export type SortOf<L extends { order(sort: never): ListOrder }> = Parameters<L['order']>[0];

/** The filters that a list has. */
export type FiltersOf<L extends { values(given: never): unknown[] }> = Parameters<L['values']>[0];

/** PostgreSQL keeps 63 bytes of a name; those who opened charts have a suffix (opened-charts.sql.ts). */
const LONGEST_NAME = 56;
/** Combinations of a list that connections keep prepared; whoever asks for all that there are fills no memory with them. */
const MOST_PREPARED = 100;

/** The statements of every list that was made in this process with all filters, in each order. A test reads them. */
export const statementsOfLists: (() => Statement<object>[])[] = [];

/**
 * A list that is read page by page. Its statements have the conditions in use alone and are named by them: a connection plans each once.
 * Further combinations, and those whose names are too long, are planned for their values.
 */
export function list<R, F extends Filters, O extends string>(parts: ListParts<R, F, O>): List<R, F, O> {
  const kept = new Map<string, Statement<never>>();
  function keep<T extends object>(names: readonly string[], write: () => string): Statement<T> {
    const name = [parts.name, ...names].join('_');
    const known = kept.get(name);
    if (known) return known;
    if (name.length > LONGEST_NAME || kept.size >= MOST_PREPARED) return unnamed<never>(write());
    const made = statement<never>(name, write());
    kept.set(name, made);
    return made;
  }
  const inUse = (given: FilterValues<F>) => Object.keys(parts.filters).filter((name) => given[name] !== undefined);
  const toOrder = ({ order, descending }: Sort<string>, { terms, position }: SortOrder) =>
    listOrder(position ?? `${parts.name}_${order}_${descending ? 'desc' : 'asc'}`, terms, descending);
  const page = (sort: Sort<string>, by: SortOrder, names: string[], begin: PageBegin): Statement<R & OfPage> =>
    keep([begin, sort.order, sort.descending ? 'desc' : 'asc', ...names], () =>
      writePage(parts, names, { ...by, order: toOrder(sort, by), begin }),
    );
  const select = <T extends object>(name: string, columns: string, names: string[], where: string | undefined): Statement<T> =>
    keep([name, ...names], () => `SELECT ${columns} ${writeRows(parts, names, where).rows}`);
  statementsOfLists.push(() => {
    const all = Object.keys(parts.filters);
    const orders = Object.entries<SortOrder>(parts.orders);
    return orders.flatMap(([order, by]) => BEGINS.map((begin) => page({ order, descending: false }, by, all, begin)));
  });
  return {
    order: (sort) => toOrder(sort, parts.orders[sort.order]),
    page: (sort, given = {}, begin = 'first') => page(sort, parts.orders[sort.order], inUse(given), begin),
    count: (given = {}) => select('count', 'count(*)::int AS total', inUse(given), parts.shown),
    totals: ({ name, columns, where }, given = {}) => select(name, columns, inUse(given), where),
    values: (given) => inUse(given).flatMap((name) => toValues(parts.filters[name]?.types ?? [], given[name])),
  };
}

const toValues = (types: Filter<unknown>['types'], value: unknown): readonly unknown[] =>
  typeof types === 'string' ? [value] : Array.isArray(value) ? value : [];

type RowParts = Pick<ListParts<unknown, Filters, string>, 'from' | 'where' | 'filters'>;

/** FROM and WHERE with the filters in use, and the number of the parameter that follows theirs. */
function writeRows(
  { from, where, filters }: RowParts,
  names: readonly string[],
  shown?: string,
  joins = '',
): { rows: string; next: number } {
  let next = Math.max(...Array.from(`${from} ${where}`.matchAll(/\$(\d+)/g), ([, number]) => Number(number))) + 1;
  const conditions = names.flatMap((name) => {
    const { types = [], where: write } = filters[name] ?? {};
    const values = [types].flat().map((type) => `$${next++}::${type}`);
    return write ? [write(...values)] : [];
  });
  return { rows: `FROM ${from} ${joins} WHERE ${[where, ...(shown ? [shown] : []), ...conditions].join(' AND ')}`, next };
}

interface Paging {
  order: ListOrder;
  join?: string;
  begin: PageBegin;
}

function writePage<R>(
  { hidesLimit = false, joins = '', wrap, ...parts }: Omit<ListParts<R, Filters, string>, 'filters'> & RowParts,
  names: readonly string[],
  { order: { by, position, after }, join = '', begin }: Paging,
): string {
  const { rows, next } = writeRows(parts, names, parts.shown, `${joins} ${join}`);
  const [limit, offset] = [`$${next}`, `$${next + 1}`];
  // The planner takes an unknown offset for a tenth of the rows. A first page has none, so that its plan is kept.
  const window = {
    first: hidesLimit ? `LIMIT (SELECT ${limit}::bigint)` : `LIMIT ${limit}`,
    page: `LIMIT ${limit} OFFSET ${offset}`,
    after: `LIMIT ${limit}`,
  };
  const later = begin === 'after' ? ` AND ${after((term) => `$${next + 1 + term}`)}` : '';
  const place = wrap ? `, row_number() OVER (ORDER BY ${by}) AS place` : '';
  const page = `SELECT ${parts.select.sql}, ${position} AS cursor${place} ${rows}${later} ORDER BY ${by} ${window[begin]}`;
  if (!wrap) return page;
  return wrap({ page, rows: writeRows(parts, names, parts.shown).rows, last: begin === 'page' ? `${limit} + ${offset}` : limit });
}

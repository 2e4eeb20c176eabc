import type { Filters, FilterValues, List, Sort } from '../../database/statements/list.ts';
import type { Prepared } from '../../database/statements/statement.ts';
import { cutPage, type PageRequest, toPageStart } from './paging.ts';

export interface ListRequest<F extends Filters, O extends string> {
  /** The practice, and what else the list is always given. */
  values: readonly unknown[];
  filter?: FilterValues<F>;
  sort: Sort<O>;
  page: PageRequest;
}

/** The rows of a page, the number of rows of the whole list, and the position at its end where others follow. */
export interface ListedRows<R> {
  rows: R[];
  total: number;
  end: string | null;
}

/** Reads a page of a list. Rows may carry the number of all rows as `total`; else it is counted where the page does not end the list. */
export async function readPage<R extends { total?: number | null }, F extends Filters, O extends string>(
  prepared: Prepared,
  list: List<R, F, O>,
  { values: always, filter = {}, sort, page }: ListRequest<F, O>,
): Promise<ListedRows<R>> {
  const { limit, offset, after } = toPageStart(page, list.order(sort).name);
  const begin = after.length > 0 ? 'after' : offset > 0 ? 'page' : 'first';
  const values = [...always, ...list.values(filter)];
  const from = { first: [], page: [offset], after }[begin];
  const found = await prepared.rows(list.page(sort, filter, begin), [...values, limit, ...from]);
  const total = found[page.limit]?.total;
  const count = async () => (typeof total === 'number' ? [{ total }] : prepared.rows(list.count(filter), values));
  return cutPage(page, found, ({ position }) => position, count);
}

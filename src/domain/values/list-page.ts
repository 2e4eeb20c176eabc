import type { Filters, FilterValues, List, Sort } from '../../database/statements/list.ts';
import type { PracticeRows } from '../../database/statements/practice-rows.ts';
import { countTotal, cutPage, type Page, type PageRequest, toPageStart } from './paging.ts';

export interface ListRequest<F extends Filters, O extends string> {
  /** Of what the list is always given, those beside the practice. */
  values?: readonly unknown[];
  filter?: FilterValues<F>;
  sort: Sort<O>;
  page: PageRequest;
}

/** Reads a page of a list. Its rows are counted where the page does not end the list. */
export async function readPage<R, F extends Filters, O extends string>(
  tx: PracticeRows,
  list: List<R, F, O>,
  { values: always = [], filter = {}, sort, page }: ListRequest<F, O>,
): Promise<{ rows: R[]; total: number; end: string | null }> {
  const { limit, offset, after } = toPageStart(page, list.order(sort).name);
  const begin = after.length > 0 ? 'after' : offset > 0 ? 'page' : 'first';
  const values = [...always, ...list.values(filter)];
  const from = { first: [], page: [offset], after }[begin];
  const found = await tx.rows(list.page(sort, filter, begin), [...values, limit, ...from]);
  const total = found[page.limit]?.total;
  const count = async () => (typeof total === 'number' ? [{ total }] : tx.rows(list.count(filter), values));
  return cutPage(page, found, ({ cursor }) => cursor, count);
}

/** The same of a list whose pages are found by number alone. */
export async function readNumberedPage<R, F extends Filters, O extends string>(
  tx: PracticeRows,
  list: List<R, F, O>,
  { values: always = [], filter = {}, sort, page }: ListRequest<F, O>,
): Promise<{ rows: R[]; total: number }> {
  const values = [...always, ...list.values(filter)];
  const offset = (page.page - 1) * page.limit;
  const statement = list.page(sort, filter, offset > 0 ? 'page' : 'first');
  const rows = await tx.rows(statement, [...values, page.limit, ...(offset > 0 ? [offset] : [])]);
  return { rows, total: await countTotal(page, rows.length, () => tx.rows(list.count(filter), values)) };
}

/**
 * Reads a page of a list of ids, and their records. One that was deleted since its id was read is left out.
 * @param find records of ids, in any order
 */
export async function readRecords<T extends { id: number }, F extends Filters, O extends string>(
  tx: PracticeRows,
  list: List<{ id: number }, F, O>,
  request: ListRequest<F, O>,
  find: (ids: number[]) => Promise<T[]>,
): Promise<Page<T> & { end: string | null }> {
  const { rows, total, end } = await readPage(tx, list, request);
  const ids = rows.map(({ id }) => id);
  const byId = new Map((ids.length > 0 ? await find(ids) : []).map((record) => [record.id, record]));
  return { ...request.page, items: ids.flatMap((id) => byId.get(id) ?? []), total, end };
}

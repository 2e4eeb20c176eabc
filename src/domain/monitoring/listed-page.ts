import type { Db } from '../../database/database.ts';
import { type Page, type PageRequest, totalOf, window } from '../values/paging.ts';
import { type ListedRows, type ListOrder, listedCount, listedPage } from './listed-page.sql.ts';

/**
 * A page of rows without those of charts that are not listed.
 * @param readRows rows of ids of the organization, in any order
 */
export async function findListedPage<T extends { id: number }>(
  db: Db,
  rows: ListedRows,
  order: ListOrder,
  page: PageRequest,
  readRows: (ids: number[]) => Promise<T[]>,
): Promise<Page<T>> {
  const found = await db.$queryRaw<{ id: number }[]>(listedPage(rows, order, window(page)));
  const ids = found.map(({ id }) => id);
  const total = await totalOf(page, ids.length, () => db.$queryRaw<{ total: number }[]>(listedCount(rows)));
  const byId = new Map((ids.length === 0 ? [] : await readRows(ids)).map((row) => [row.id, row]));
  return { ...page, items: ids.flatMap((id) => byId.get(id) ?? []), total };
}

import type { Db } from '../../database/database.ts';
import { cutPage, type Page, type PageRequest, toPageStart } from '../values/paging.ts';
import { countListed, type ListedRows, type ListSort, orderOfListed, selectListedPage } from './listed-page.sql.ts';

/** A page of rows without those of charts that are not listed. @param readRows rows of ids of the organization, in any order */
export async function findListedPage<T extends { id: number }>(
  db: Db,
  rows: ListedRows,
  sort: ListSort,
  page: PageRequest,
  readRows: (ids: number[]) => Promise<T[]>,
): Promise<Page<T>> {
  const order = orderOfListed(rows, sort);
  const found = await db.$queryRaw<{ id: number; position: string }[]>(selectListedPage(rows, order, toPageStart(page, order.name)));
  const count = () => db.$queryRaw<{ total: number }[]>(countListed(rows));
  const { rows: shown, total, end } = await cutPage(page, found, ({ position }) => position, count);
  const ids = shown.map(({ id }) => id);
  const byId = new Map((ids.length === 0 ? [] : await readRows(ids)).map((row) => [row.id, row]));
  return { ...page, items: ids.flatMap((id) => byId.get(id) ?? []), total, end };
}

import type { Db } from '../../database/database.ts';
import type { Prepared } from '../../database/statement.ts';
import type { Item } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../caller.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { Page, PageRequest } from '../values/paging.ts';
import { ITEM_COUNT, type ItemOrder, type ItemRow, itemPage } from './programs.sql.ts';

/** What can be measured, with its usual target; dates as they are shown. */
export type CatalogueItem = ItemRow;
export type { Item, ItemOrder };

/** What the organization measures now. */
export async function listItems(
  prepared: Prepared,
  { organizationId }: Caller,
  sort: { order: ItemOrder; descending: boolean },
  page: PageRequest,
): Promise<Page<CatalogueItem>> {
  const values = [organizationId, page.limit, (page.page - 1) * page.limit];
  const [items, [counted]] = await Promise.all([
    prepared.rows(itemPage(sort.order, sort.descending), values),
    prepared.rows(ITEM_COUNT, [organizationId]),
  ]);
  return { ...page, items, total: counted?.total ?? 0 };
}

export interface NewItem {
  name: string;
  /** Such as mmHg; null for what is only counted. */
  unit: string | null;
  /** What is usually aimed at, both ends included; null where a side is open. */
  minTarget: number | null;
  maxTarget: number | null;
}

/** @throws Failure conflict where an item in use has the name, whatever the case and the accents; invalid */
export async function addItem(db: Db, caller: Caller, input: NewItem): Promise<Item> {
  const { organizationId } = caller;
  const { name, minTarget, maxTarget } = input;
  if (minTarget !== null && maxTarget !== null && minTarget > maxTarget)
    throw invalid('minTarget', 'must not be above the highest', 'out_of_order');
  const [standing] = await db.$queryRaw<{ id: number }[]>`
    SELECT id FROM item WHERE organization_id = ${organizationId} AND active AND fold(name) = fold(${name})`;
  if (standing) throw conflict('item_exists', `Item ${standing.id} has this name already. End it first.`, 'name');
  const item = await db.item.create({ data: { organizationId, ...input } });
  recordChange(caller, 'administer', { name: 'item.created', subject: 'item', id: item.id });
  return item;
}

/** Every item of the practice, by id; ended ones too. */
export function listAllItems(db: Db, { organizationId }: CallerIdentity): Promise<Item[]> {
  return db.item.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
}

/** Ends an item: no condition is tracked by it anew. Where it is measured, it goes on. @throws Failure not_found */
export async function endItem(db: Db, caller: Caller, id: number): Promise<Item> {
  const { organizationId } = caller;
  const { count } = await db.item.updateMany({ where: { organizationId, id, active: true }, data: { active: false } });
  if (count > 0) recordChange(caller, 'administer', { name: 'item.ended', subject: 'item', id, changed: ['active'] });
  const item = await db.item.findUnique({ where: { organizationId_id: { organizationId, id } } });
  if (!item) throw notFound('item');
  return item;
}

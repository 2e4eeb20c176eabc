import type { Db } from '../../../database/database.ts';
import type { Prepared } from '../../../database/statements/statement.ts';
import type { Item } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../../caller.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { requireLimitsInOrder } from '../targets.ts';
import { ITEM_COUNT, type ItemOrder, type ItemRow, itemPage } from './programs.sql.ts';

/** An item that can be measured, with its default target. Instants are ISO 8601 texts in UTC. */
export type CatalogueItem = ItemRow;
export type { Item, ItemOrder };

/** The active items of the organization. */
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

/** Limits of an item. */
export interface ItemLimits {
  /** Default target, both ends included; null where an end is open. */
  minTarget: number | null;
  maxTarget: number | null;
  /** A value at or below it is a danger; null for none. */
  dangerMin: number | null;
  /** A value at or above it is a danger; null for none. */
  dangerMax: number | null;
}

export interface NewItem extends ItemLimits {
  name: string;
  /** Such as mmHg; null for a plain count. */
  unit: string | null;
}

/** Adds an item. @throws Failure conflict where an active item has the name (case and accents are ignored); invalid */
export async function addItem(db: Db, caller: Caller, input: NewItem): Promise<Item> {
  const { organizationId } = caller;
  const { name, minTarget: min, maxTarget: max, dangerMin, dangerMax } = input;
  requireLimitsInOrder({ min, max, dangerMin, dangerMax }, 'minTarget');
  const [existing] = await db.$queryRaw<{ id: number }[]>`
    SELECT id FROM item WHERE organization_id = ${organizationId} AND active AND fold(name) = fold(${name})`;
  if (existing) throw conflict('item_exists', `Item ${existing.id} has this name already. End it first.`, 'name');
  const item = await db.item.create({ data: { organizationId, ...input } });
  recordChange(caller, 'administer', { name: 'item.created', id: item.id });
  return item;
}

const LIMITS = ['minTarget', 'maxTarget', 'dangerMin', 'dangerMax'] as const;

/**
 * Changes the given limits of an item. Values are compared with them from now on, also earlier ones where they are shown; conditions
 * keep their own, and alerts the target with which they were raised.
 * @throws Failure not_found; invalid for limits that are not in order
 */
export async function updateItemLimits(db: Db, caller: Caller, id: number, input: Partial<ItemLimits>): Promise<Item> {
  const { organizationId } = caller;
  await db.$queryRaw`SELECT id FROM item WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const where = { organizationId_id: { organizationId, id } };
  const item = await db.item.findUnique({ where });
  if (!item) throw notFound('item');
  const limitOf = (name: (typeof LIMITS)[number]): number | null => {
    const given = input[name];
    return given === undefined ? (item[name]?.toNumber() ?? null) : given;
  };
  const [min, max, dangerMin, dangerMax] = [limitOf('minTarget'), limitOf('maxTarget'), limitOf('dangerMin'), limitOf('dangerMax')];
  requireLimitsInOrder({ min, max, dangerMin, dangerMax }, 'minTarget');
  const changed = LIMITS.filter((name) => limitOf(name) !== (item[name]?.toNumber() ?? null));
  if (changed.length === 0) return item;
  recordChange(caller, 'administer', { name: 'item.updated', id, changed });
  return db.item.update({ where, data: { minTarget: min, maxTarget: max, dangerMin, dangerMax } });
}

/** All items of the practice, by id, including ended ones. */
export function listAllItems(db: Db, { organizationId }: CallerIdentity): Promise<Item[]> {
  return db.item.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
}

/** Ends an item: it cannot be added to a condition any more. Conditions that measure it keep it. @throws Failure not_found */
export async function endItem(db: Db, caller: Caller, id: number): Promise<Item> {
  const { organizationId } = caller;
  const { count } = await db.item.updateMany({ where: { organizationId, id, active: true }, data: { active: false } });
  if (count > 0) recordChange(caller, 'administer', { name: 'item.ended', id, changed: ['active'] });
  const item = await db.item.findUnique({ where: { organizationId_id: { organizationId, id } } });
  if (!item) throw notFound('item');
  return item;
}

/** Removes an item to which nothing refers. */
export async function removeItem(db: Db, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller;
  await db.item.delete({ where: { organizationId_id: { organizationId, id } }, select: { id: true } });
  recordChange(caller, 'administer', { name: 'item.removed', id });
}

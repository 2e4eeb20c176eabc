import type { Item } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import { type ItemKind, plausibleRange, usualKind, usualLoinc } from '../../messaging/check-ins/usual-items.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { requireLimitsInOrder } from '../targets.ts';
import { ITEM_COUNT, type ItemOrder, type ItemRow, itemPage } from './programs.sql.ts';

/** An item that can be measured, with its default target. Instants are ISO 8601 texts in UTC. */
export interface CatalogueItem extends ItemRow {
  loinc: string | null;
}
export type { Item, ItemOrder };

/** The active items of the organization. */
export async function listItems(tx: Tx, sort: { order: ItemOrder; descending: boolean }, page: PageRequest): Promise<Page<CatalogueItem>> {
  const values = [page.limit, (page.page - 1) * page.limit];
  const [items, [counted]] = await Promise.all([tx.rows(itemPage(sort.order, sort.descending), values), tx.rows(ITEM_COUNT)]);
  return { ...page, items: items.map(withBounds), total: counted?.total ?? 0 };
}

/** With its code, and the bounds that apply, whether the practice has set them or not. */
function withBounds({ plausible_min: plausibleMin, plausible_max: plausibleMax, ...item }: ItemRow): CatalogueItem {
  const { min, max } = plausibleRange({ ...item, plausibleMin, plausibleMax });
  return { ...item, plausible_min: min, plausible_max: max, loinc: usualLoinc(item) };
}

export interface ItemLimits {
  /** Default target, both ends included; null where an end is open. */
  minTarget: number | null;
  maxTarget: number | null;
  /** A value at or below it is a danger; null for none. */
  dangerMin: number | null;
  /** A value at or above it is a danger; null for none. */
  dangerMax: number | null;
  /** Bounds of plausible values, both included; null: those of a usual item with the name and unit, if it is one. */
  plausibleMin: number | null;
  plausibleMax: number | null;
}

export interface NewItem extends ItemLimits {
  name: string;
  /** Such as mmHg; null for a plain count. */
  unit: string | null;
  /** That of a usual item unless given. */
  kind?: ItemKind | undefined;
}

/** Adds an item. @throws Failure conflict where an active item has the name (case and accents are ignored); invalid */
export async function addItem(tx: Tx, input: NewItem): Promise<Item> {
  const { organizationId } = tx;
  const { name, minTarget: min, maxTarget: max, dangerMin, dangerMax } = input;
  requireLimitsInOrder({ min, max, dangerMin, dangerMax }, 'minTarget');
  requireBoundsInOrder(input);
  const [existing] = await tx.prisma.$queryRaw<{ id: number }[]>`
    SELECT id FROM item WHERE organization_id = ${organizationId} AND active AND fold(name) = fold(${name})`;
  if (existing) throw conflict('item_exists', `Item ${existing.id} already has this name. End it first.`, 'name');
  const item = await tx.prisma.item.create({ data: { organizationId, ...input, kind: input.kind ?? usualKind(input) } });
  recordChange(tx, 'administer', { name: 'item.created', id: item.id });
  return item;
}

/** @throws Failure invalid for bounds that leave no plausible value */
function requireBoundsInOrder({ plausibleMin, plausibleMax }: Pick<ItemLimits, 'plausibleMin' | 'plausibleMax'>): void {
  if (plausibleMin !== null && plausibleMax !== null && plausibleMin >= plausibleMax)
    throw invalid('plausibleMin', `must be below the highest plausible value, ${plausibleMax}`, 'out_of_order');
}

const LIMITS = ['minTarget', 'maxTarget', 'dangerMin', 'dangerMax', 'plausibleMin', 'plausibleMax'] as const;

/**
 * Changes the given limits and the kind of an item. Values are compared with them from now on, also earlier ones where they are shown; conditions
 * keep their own, and alerts the target with which they were raised. Readings stay plausible or implausible as they were received; by the
 * kind all open months are counted.
 * @throws Failure not_found; invalid for limits that are not in order
 */
export async function updateItem(tx: Tx, id: number, input: Partial<ItemLimits> & { kind?: ItemKind }): Promise<Item> {
  await tx.prisma.$queryRaw`SELECT id FROM item WHERE organization_id = ${tx.organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const where = tx.key(id);
  const item = await tx.prisma.item.findUnique({ where });
  if (!item) throw notFound('item');
  const readLimit = (name: (typeof LIMITS)[number]): number | null => {
    const given = input[name];
    return given === undefined ? (item[name]?.toNumber() ?? null) : given;
  };
  const [min, max, dangerMin, dangerMax] = [readLimit('minTarget'), readLimit('maxTarget'), readLimit('dangerMin'), readLimit('dangerMax')];
  requireLimitsInOrder({ min, max, dangerMin, dangerMax }, 'minTarget');
  const [plausibleMin, plausibleMax] = [readLimit('plausibleMin'), readLimit('plausibleMax')];
  requireBoundsInOrder({ plausibleMin, plausibleMax });
  const kind = input.kind ?? item.kind;
  const changed = [
    ...LIMITS.filter((name) => readLimit(name) !== (item[name]?.toNumber() ?? null)),
    ...(kind === item.kind ? [] : (['kind'] as const)),
  ];
  if (changed.length === 0) return item;
  recordChange(tx, 'administer', { name: 'item.updated', id, changed });
  return tx.prisma.item.update({ where, data: { minTarget: min, maxTarget: max, dangerMin, dangerMax, plausibleMin, plausibleMax, kind } });
}

/** All items of the practice, by id, including ended ones. */
export function listAllItems(tx: PracticeTx): Promise<Item[]> {
  return tx.prisma.item.findMany({ where: tx.practice, orderBy: { id: 'asc' } });
}

/** Ends an item: it cannot be added to a condition any more. Conditions that measure it keep it. @throws Failure not_found */
export async function endItem(tx: Tx, id: number): Promise<Item> {
  const { count } = await tx.prisma.item.updateMany({ where: { ...tx.practice, id, active: true }, data: { active: false } });
  if (count > 0) recordChange(tx, 'administer', { name: 'item.ended', id, changed: ['active'] });
  const item = await tx.prisma.item.findUnique({ where: tx.key(id) });
  if (!item) throw notFound('item');
  return item;
}

/** Removes an item to which nothing refers. */
export async function removeItem(tx: Tx, id: number): Promise<void> {
  await tx.prisma.item.delete({ where: tx.key(id), select: { id: true } });
  recordChange(tx, 'administer', { name: 'item.removed', id });
}

import type { Item } from '../../../generated/prisma/client.ts';
import { conflict, invalid, notFound, WrongFields } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { type Limits, requireLimitsInOrder } from '../targets.ts';

/**
 * An item to measure. An absent limit stays as it is. Of a new item, an absent end of the range is the default of the item, and an
 * absent danger limit null.
 */
export type ItemTarget = { itemId: number } & { [Name in keyof Limits]?: number | null | undefined };

/** An item with the limits of a condition; null where an end is open, and where the danger limit of the item applies. */
export interface MeasuredItem extends Limits {
  itemId: number;
}

const isSame = (one: MeasuredItem, other: MeasuredItem): boolean =>
  one.itemId === other.itemId &&
  one.min === other.min &&
  one.max === other.max &&
  one.dangerMin === other.dangerMin &&
  one.dangerMax === other.dangerMax;

export interface ItemsChange {
  /** Id of the tracked condition. */
  id: number;
  current: MeasuredItem[];
  /** The items to measure from now on (resolveTargets). */
  requested: MeasuredItem[];
  /** Start of the new targets; null for the start of the tracking. */
  since: Date | null;
}

/**
 * Sets the measured items of a condition. A changed target ends its row and adds a new one, so that earlier measurements are
 * compared with the target of their time.
 * @returns whether anything changed
 */
export async function setItems(tx: Tx, { id, current, requested, since }: ItemsChange): Promise<boolean> {
  const removed = current.filter((one) => !requested.some((other) => isSame(one, other)));
  const added = requested.filter((one) => !current.some((other) => isSame(one, other)));
  if (removed.length > 0) {
    const itemId = { in: removed.map((one) => one.itemId) };
    await tx.prisma.trackedConditionItem.updateMany({
      where: { ...tx.practice, trackedConditionId: id, itemId, until: null },
      data: { until: since },
    });
  }
  const rows = added.map(({ min: minTarget, max: maxTarget, ...limits }) => ({
    ...tx.practice,
    trackedConditionId: id,
    ...limits,
    minTarget,
    maxTarget,
    since,
  }));
  if (rows.length > 0) await tx.prisma.trackedConditionItem.createMany({ data: rows });
  return removed.length + added.length > 0;
}

/**
 * The items with their targets.
 * @param current the items that are measured now
 * @throws Failure not_found for unknown items, conflict for an ended one, invalid for an item that is listed twice and for limits
 *   that are not in order, also with a danger limit of the item; each with the field of the entry, such as `items.0`
 */
export async function resolveTargets(tx: Tx, current: MeasuredItem[], requested: ItemTarget[]): Promise<MeasuredItem[]> {
  const ids = requested.map(({ itemId }) => itemId);
  const items = new Map((await tx.prisma.item.findMany({ where: { ...tx.practice, id: { in: ids } } })).map((item) => [item.id, item]));
  const wrong = new WrongFields();
  const targets: MeasuredItem[] = [];
  for (const [index, { itemId, ...limits }] of requested.entries()) {
    const field = `items.${index}`;
    const item = items.get(itemId);
    const usual = toLimits(item);
    const before = current.find((one) => one.itemId === itemId) ?? { ...usual, dangerMin: null, dangerMax: null };
    const target = { itemId, ...withDefaults(limits, before) };
    if (ids.indexOf(itemId) < index) wrong.add(invalid(field, 'names an item twice', 'twice'));
    else if (!item) wrong.add(notFound('item', field));
    const { dangerMin, dangerMax } = usual;
    const applied = { ...target, dangerMin: target.dangerMin ?? dangerMin, dangerMax: target.dangerMax ?? dangerMax };
    await wrong.check(() => requireLimitsInOrder(applied, field));
    targets.push(target);
  }
  wrong.throwIfAny();
  const ended = requested.findIndex(({ itemId }) => items.get(itemId)?.active === false && !current.some((one) => one.itemId === itemId));
  if (ended >= 0) throw conflict('item_ended', 'The item was ended and accepts no new measurements.', `items.${ended}`);
  return targets;
}

const toLimits = (item: Item | undefined): Limits => ({
  min: item?.minTarget?.toNumber() ?? null,
  max: item?.maxTarget?.toNumber() ?? null,
  dangerMin: item?.dangerMin?.toNumber() ?? null,
  dangerMax: item?.dangerMax?.toNumber() ?? null,
});

const withDefaults = (limits: Omit<ItemTarget, 'itemId'>, { min, max, dangerMin, dangerMax }: Limits): Limits => ({
  min: limits.min === undefined ? min : limits.min,
  max: limits.max === undefined ? max : limits.max,
  dangerMin: limits.dangerMin === undefined ? dangerMin : limits.dangerMin,
  dangerMax: limits.dangerMax === undefined ? dangerMax : limits.dangerMax,
});

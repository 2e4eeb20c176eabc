import type { Db } from '../../database/database.ts';
import type { Caller } from '../caller.ts';
import { conflict, invalid, notFound, WrongFields } from '../errors.ts';

/** An item to measure. An absent target stays as it is, or is the default of the item; null is no target. */
export interface ItemTarget {
  itemId: number;
  min?: number | null | undefined;
  max?: number | null | undefined;
}

/** An item with its target range, both ends included; null where an end is open. */
export interface MeasuredItem {
  itemId: number;
  min: number | null;
  max: number | null;
}

export interface ItemsChange {
  /** Id of the tracked condition. */
  id: number;
  /** The items that are measured now. */
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
export async function setItems(db: Db, caller: Caller, { id, current, requested, since }: ItemsChange): Promise<boolean> {
  const { organizationId } = caller;
  const same = (one: MeasuredItem) => (other: MeasuredItem) =>
    one.itemId === other.itemId && one.min === other.min && one.max === other.max;
  const removed = current.filter((one) => !requested.some(same(one)));
  const added = requested.filter((one) => !current.some(same(one)));
  if (removed.length > 0) {
    const itemId = { in: removed.map((one) => one.itemId) };
    await db.trackedConditionItem.updateMany({
      where: { organizationId, trackedConditionId: id, itemId, until: null },
      data: { until: since },
    });
  }
  const rows = added.map(({ itemId, min, max }) => ({
    organizationId,
    trackedConditionId: id,
    itemId,
    minTarget: min,
    maxTarget: max,
    since,
  }));
  if (rows.length > 0) await db.trackedConditionItem.createMany({ data: rows });
  return removed.length + added.length > 0;
}

/**
 * The items with their targets.
 * @param current the items that are measured now
 * @throws Failure not_found for unknown items, conflict for an ended one, invalid for an item that is listed twice and for a
 *   lowest target above the highest; each with the field of the entry, such as `items.0`
 */
export async function resolveTargets(
  db: Db,
  { organizationId }: Caller,
  current: MeasuredItem[],
  requested: ItemTarget[],
): Promise<MeasuredItem[]> {
  const ids = requested.map(({ itemId }) => itemId);
  const items = new Map((await db.item.findMany({ where: { organizationId, id: { in: ids } } })).map((item) => [item.id, item]));
  const wrong = new WrongFields();
  const targets = requested.map(({ itemId, min, max }, index) => {
    const before = current.find((one) => one.itemId === itemId);
    const item = items.get(itemId);
    if (ids.indexOf(itemId) < index) wrong.add(invalid(`items.${index}`, 'names an item for the second time', 'twice'));
    else if (!item) wrong.add(notFound('item', `items.${index}`));
    const fallback = before ?? { min: item?.minTarget?.toNumber() ?? null, max: item?.maxTarget?.toNumber() ?? null };
    const target = { itemId, min: min === undefined ? fallback.min : min, max: max === undefined ? fallback.max : max };
    if (target.min !== null && target.max !== null && target.min > target.max)
      wrong.add(invalid(`items.${index}`, `aims at no less than ${target.min} and no more than ${target.max}`, 'out_of_order'));
    return target;
  });
  wrong.throwIfAny();
  const ended = requested.findIndex(({ itemId }) => items.get(itemId)?.active === false && !current.some((one) => one.itemId === itemId));
  if (ended >= 0) throw conflict('item_ended', 'The item was ended; nothing is measured by it anew.', `items.${ended}`);
  return targets;
}

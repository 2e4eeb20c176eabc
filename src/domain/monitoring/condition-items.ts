import type { Db } from '../../database/database.ts';
import type { Caller } from '../caller.ts';
import { conflict, Failure, type Issue, invalid } from '../errors.ts';

/** Something to be measured; a target that is absent is as it was, or what the item usually has, null is none. */
export interface ItemTarget {
  itemId: number;
  min?: number | null | undefined;
  max?: number | null | undefined;
}

/** The same with what is aimed at, both ends included. */
interface MeasuredItem {
  itemId: number;
  min: number | null;
  max: number | null;
}

export interface ItemsChange {
  /** Of the condition. */
  id: number;
  /** What is measured so far. */
  current: MeasuredItem[];
  /** What is measured from now on. */
  requested: ItemTarget[];
  /** From when on; null: since the condition is tracked. */
  since: Date | null;
}

/**
 * What is measured for a condition. A target that changes leaves its row to the past, and another takes its place; so what
 * was measured before is held against what was aimed at then.
 * @returns whether anything changed
 * @throws Failure not_found for items that the organization does not have, conflict for one that was ended, invalid for an
 *   item that is named twice and for targets that are no range; each names the entry as `items.0`
 */
export async function setItems(db: Db, caller: Caller, { id, current: standing, requested: given, since }: ItemsChange): Promise<boolean> {
  const { organizationId } = caller;
  const aimed = await resolveTargets(db, caller, standing, given);
  const same = (one: MeasuredItem) => (other: MeasuredItem) =>
    one.itemId === other.itemId && one.min === other.min && one.max === other.max;
  const left = standing.filter((one) => !aimed.some(same(one)));
  const added = aimed.filter((one) => !standing.some(same(one)));
  if (left.length > 0) {
    const itemId = { in: left.map((one) => one.itemId) };
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
  return left.length + added.length > 0;
}

async function resolveTargets(db: Db, { organizationId }: Caller, standing: MeasuredItem[], given: ItemTarget[]): Promise<MeasuredItem[]> {
  const ids = given.map(({ itemId }) => itemId);
  const twice = ids.findIndex((id, index) => ids.indexOf(id) < index);
  if (twice >= 0) throw invalid(`items.${twice}`, 'names an item for the second time', 'twice');
  const items = new Map((await db.item.findMany({ where: { organizationId, id: { in: ids } } })).map((item) => [item.id, item]));
  const unknown = ids.flatMap((id, index) => (items.has(id) ? [] : [unknownItem(`items.${index}`)]));
  if (unknown.length > 0) throw new Failure('not_found', 'item_not_found', 'There is no such item.', { issues: unknown });
  return given.map(({ itemId, min, max }, index) => {
    const before = standing.find((one) => one.itemId === itemId);
    const item = items.get(itemId);
    if (!before && item?.active === false)
      throw conflict('item_ended', 'The item was ended; nothing is measured by it anew.', `items.${index}`);
    const usual = before ?? { min: item?.minTarget?.toNumber() ?? null, max: item?.maxTarget?.toNumber() ?? null };
    const aimed = { itemId, min: min === undefined ? usual.min : min, max: max === undefined ? usual.max : max };
    if (aimed.min !== null && aimed.max !== null && aimed.min > aimed.max)
      throw invalid(`items.${index}`, `aims at no less than ${aimed.min} and no more than ${aimed.max}`, 'out_of_order');
    return aimed;
  });
}

const unknownItem = (field: string): Issue => ({ field, code: 'not_found', message: 'There is no such item.' });

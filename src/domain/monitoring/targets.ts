import type { Db } from '../../database/database.ts';
import type { Caller } from '../caller.ts';

/** Range in which a value should be, both ends included; null where an end is open. */
export interface Target {
  min: number | null;
  max: number | null;
}

interface MeasuredItem {
  id: number;
  name: string;
  unit: string | null;
  /** Default target, unless a condition of the patient has its own. */
  usual: Target;
}

export interface Targets {
  itemFor(id: number | null): MeasuredItem | null;
  /** Null without a target. */
  targetFor(checkInId: number, item: MeasuredItem): Target | null;
}

export const isOutsideTarget = ({ min, max }: Target, value: number): boolean =>
  (min !== null && value < min) || (max !== null && value > max);

const nullIfOpen = (target: Target): Target | null => (target.min === null && target.max === null ? null : target);

/**
 * Targets at the time when check-ins were answered, or sent where they were not answered: those of the patient's conditions
 * that were tracked then; of several conditions with one item, the latest; else the default target of the item.
 */
export async function readTargets(
  db: Db,
  { organizationId }: Caller,
  { itemIds, checkInIds }: { itemIds: number[]; checkInIds: number[] },
): Promise<Targets> {
  if (itemIds.length === 0) return { itemFor: () => null, targetFor: () => null };
  const [items, own] = await Promise.all([
    db.item.findMany({ where: { organizationId, id: { in: itemIds } } }),
    db.$queryRaw<(Target & { checkInId: number; itemId: number })[]>`
      SELECT DISTINCT ON (c.id, i.item_id) c.id AS "checkInId", i.item_id AS "itemId", i.min_target::float8 AS min, i.max_target::float8 AS max
        FROM check_in c
        JOIN tracked_condition t ON t.organization_id = c.organization_id AND t.patient_id = c.patient_id
         AND t.created_at <= coalesce(c.answered_at, c.sent_at)
         AND (t.ended_at IS NULL OR t.ended_at > coalesce(c.answered_at, c.sent_at))
        JOIN tracked_condition_item i ON i.organization_id = t.organization_id AND i.tracked_condition_id = t.id
         AND (i.since IS NULL OR i.since <= coalesce(c.answered_at, c.sent_at))
         AND (i.until IS NULL OR i.until > coalesce(c.answered_at, c.sent_at))
       WHERE c.organization_id = ${organizationId} AND c.id = ANY (${checkInIds}::bigint[])
       ORDER BY c.id, i.item_id, t.id DESC`,
  ]);
  const usual = new Map(
    items.map(({ id, name, unit, minTarget, maxTarget }): [number, MeasuredItem] => [
      id,
      { id, name, unit, usual: { min: minTarget?.toNumber() ?? null, max: maxTarget?.toNumber() ?? null } },
    ]),
  );
  const tracked = new Map(own.map(({ checkInId, itemId, min, max }) => [`${checkInId} ${itemId}`, { min, max }]));
  return {
    itemFor: (id) => (id === null ? null : (usual.get(id) ?? null)),
    targetFor: (checkInId, item) => nullIfOpen(tracked.get(`${checkInId} ${item.id}`) ?? item.usual),
  };
}

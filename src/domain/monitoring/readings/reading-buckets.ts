import { Temporal } from 'temporal-polyfill';
import { recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import { onClocks } from '../../values/date-range.ts';
import { type Page, type PageRequest, totalOf } from '../../values/paging.ts';
import { momentAt } from '../../values/time.ts';
import { readTargets } from '../targets.ts';
import { type Bucket, type BucketRow, type BucketSort, bucketCount, bucketPage, TARGET_CHANGES } from './reading-list.sql.ts';
import { type DatabaseAccess, filterValues, type ReadingFilter } from './reading-list.ts';

/** Readings of one item in one period. */
export interface ReadingBucket {
  item: { id: number; name: string; unit: string | null };
  /** First instant of the period, and the first after it. */
  from: Date;
  to: Date;
  /** The clocks of the practice at its beginning, as the UTC fields of a Date. */
  fromLocal: Date;
  count: number;
  min: number;
  max: number;
  /** Rounded to three decimals. */
  average: number;
  /** The value that was measured last. */
  last: number;
  /** Values out of the target at their time, danger values included. */
  outOfTarget: number;
}

/**
 * The readings of a patient, summarized by item and period of the practice's clocks. A week begins on Monday. Audited.
 * @throws Failure not_found, invalid for a wrong range
 */
export async function listReadingBuckets(
  access: DatabaseAccess,
  caller: Caller,
  filter: ReadingFilter,
  sort: BucketSort,
  page: PageRequest,
): Promise<Page<ReadingBucket>> {
  const { prepared } = access;
  const values = [...(await filterValues(access, caller, filter)), await organizationZone(prepared, caller)];
  const spans = await findTargetSpans(access, caller, filter);
  const paged = [...values, JSON.stringify(spans), page.limit, (page.page - 1) * page.limit];
  const rows = await prepared.rows(bucketPage(sort), paged);
  const total = await totalOf(page, rows.length, () => prepared.rows(bucketCount(sort.bucket), values));
  recordReadWithPatients(caller, 'reading', { ids: [], patientIds: [filter.patientId] }, 'search');
  const timeZone = await organizationZone(prepared, caller);
  return { ...page, items: rows.map((row) => toBucket(row, sort.bucket, timeZone)), total };
}

/** The targets of the items, from each change to the next. */
async function findTargetSpans({ db, prepared }: DatabaseAccess, caller: Caller, { patientId, itemIds }: ReadingFilter) {
  const items = await prepared.rows(TARGET_CHANGES, [caller.organizationId, patientId, itemIds ?? null]);
  const spans = items.flatMap(({ item_id: itemId, changes }) =>
    [null, ...changes].map((from, index) => ({ itemId, from, before: changes[index] ?? null })),
  );
  const measurements = spans.map(({ itemId, from }) => ({ patientId, itemId, at: from ?? new Date(0) }));
  const targets = await readTargets(db, caller, measurements);
  return spans.flatMap(({ itemId, from, before }, index) => {
    const target = targets[index];
    if (!target) return [];
    const { min, max, dangerMin, dangerMax } = target;
    const span = { item_id: itemId, from: from?.toISOString() ?? '-infinity', before: before?.toISOString() ?? 'infinity' };
    return { ...span, min, max, dangerMin, dangerMax };
  });
}

function toBucket(row: BucketRow, bucket: Bucket, timeZone: string): ReadingBucket {
  const { from, to } = edgesOf(bucket, row.start, timeZone);
  return {
    item: { id: row.item_id, name: row.item_name, unit: row.unit },
    from,
    to,
    fromLocal: momentAt(from, timeZone).local,
    count: row.count,
    min: row.min,
    max: row.max,
    average: row.average,
    last: row.last,
    outOfTarget: row.out_of_target,
  };
}

const LENGTHS = { day: { days: 1 }, week: { days: 7 }, month: { months: 1 } } as const;

/**
 * The first instant of a period and the first after it, by the clocks of a zone: a day may have 23 or 25 hours.
 * @param start of an hour its first instant, else its first day
 */
export function edgesOf(bucket: Bucket, start: string, timeZone: string): { from: Date; to: Date } {
  if (bucket === 'hour') {
    const from = new Date(start);
    return { from, to: new Date(from.getTime() + 3_600_000) };
  }
  const first = Temporal.PlainDate.from(start);
  const midnight = (day: Temporal.PlainDate) => new Date(onClocks(day.toPlainDateTime(), timeZone, 'earlier').epochMilliseconds);
  return { from: midnight(first), to: midnight(first.add(LENGTHS[bucket])) };
}

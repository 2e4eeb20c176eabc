import { recordReadWithPatients } from '../../audit/journal-entries.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { countTotal, type Page, type PageRequest, toPageStart } from '../../values/paging.ts';
import { periodBorders } from '../../values/time/periods.ts';
import { momentAt } from '../../values/time/time.ts';
import { readTargets } from '../targets.ts';
import { type Bucket, type BucketRow, type BucketSort, bucketCount, bucketPage, READING_SPAN, TARGET_CHANGES } from './reading-list.sql.ts';
import { filterValues, type ReadingFilter } from './reading-list.ts';

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
export async function listReadingBuckets(tx: Tx, filter: ReadingFilter, sort: BucketSort, page: PageRequest): Promise<Page<ReadingBucket>> {
  // Summaries have no position: they are counted.
  const { offset } = toPageStart(page, 'buckets');
  const found = await filterValues(tx, filter);
  const timeZone = await organizationZone(tx);
  const borders = await findBorders(tx, found, sort.bucket, timeZone);
  const values = [...found, borders.map((border) => border.toISOString())];
  const spans = await findTargetSpans(tx, filter);
  const paged = [...values, JSON.stringify(spans), page.limit, offset];
  const rows = await tx.rows(bucketPage(sort), paged);
  const total = await countTotal(page, rows.length, () => tx.rows(bucketCount(sort.bucket), values));
  recordReadWithPatients(tx, 'reading', { ids: [], patientIds: [filter.patientId] }, 'search');
  return { ...page, items: rows.map((row) => toBucket(row, sort.bucket, borders, timeZone)), total };
}

/** The days, weeks or months of the readings; hours are counted from the beginning of their day. */
async function findBorders(tx: Tx, found: unknown[], bucket: Bucket, timeZone: string): Promise<Date[]> {
  const [span] = await tx.rows(READING_SPAN, found);
  if (!span?.first || !span.last) return [];
  return periodBorders(bucket === 'hour' ? 'day' : bucket, { first: span.first, last: span.last }, timeZone);
}

/** The targets of the items, from each change to the next. */
async function findTargetSpans(tx: Tx, { patientId, itemIds }: ReadingFilter) {
  const items = await tx.rows(TARGET_CHANGES, [patientId, itemIds ?? null]);
  const spans = items.flatMap(({ item_id: itemId, changes }) =>
    [null, ...changes].map((from, index) => ({ itemId, from, before: changes[index] ?? null })),
  );
  const measurements = spans.map(({ itemId, from }) => ({ patientId, itemId, at: from ?? new Date(0) }));
  const targets = await readTargets(tx, measurements);
  return spans.flatMap(({ itemId, from, before }, index) => {
    const target = targets[index];
    if (!target) return [];
    const { min, max, dangerMin, dangerMax } = target;
    const span = { item_id: itemId, from: from?.toISOString() ?? '-infinity', before: before?.toISOString() ?? 'infinity' };
    return { ...span, min, max, dangerMin, dangerMax };
  });
}

function toBucket(row: BucketRow, bucket: Bucket, borders: readonly Date[], timeZone: string): ReadingBucket {
  const { from, to } = findEdges(row, bucket, borders);
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

const HOUR_MS = 3_600_000;

/** The first instant of a period and the first after it. */
function findEdges({ place, hour }: BucketRow, bucket: Bucket, borders: readonly Date[]): { from: Date; to: Date } {
  const [begin, end] = [borders[place - 1], borders[place]];
  if (!begin || !end) throw new RangeError('a reading is outside of the periods of its span');
  if (bucket !== 'hour') return { from: begin, to: end };
  const from = new Date(begin.getTime() + hour * HOUR_MS);
  return { from, to: new Date(Math.min(from.getTime() + HOUR_MS, end.getTime())) };
}

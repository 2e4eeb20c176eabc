import { z } from 'zod';
import type { ReadingBucket } from '../../../../domain/monitoring/readings/reading-buckets.ts';
import type { BucketSort, ReadingSort } from '../../../../domain/monitoring/readings/reading-list.sql.ts';
import type { ReadingFilter } from '../../../../domain/monitoring/readings/reading-list.ts';
import { READING_SOURCES } from '../../../../domain/monitoring/readings/readings.ts';
import { writeInstant, writeLocal } from '../../../../domain/values/time/time.ts';
import { alsoNamed } from '../../../../http/input/query.ts';
import { id, instant, localTime, pagingByPosition } from '../../../../http/wire/wire-types.ts';
import { ids, sortBy, wrapList } from '../../shared.wire.ts';
import { date, toDates } from '../check-ins.wire.ts';
import { ItemOfReading, ReadingShape } from './readings.wire.ts';

const BucketShape = z
  .strictObject({
    kind: z.literal('bucket'),
    item: ItemOfReading,
    from: instant().describe('First instant of the period'),
    to: instant().describe('First instant after it'),
    from_local: localTime().describe('Start of the period in the organization’s time zone'),
    count: z.int().describe('Number of readings'),
    min: z.number(),
    max: z.number(),
    average: z.number().describe('Rounded to three decimals'),
    last: z.number().describe('Most recent value'),
    out_of_target: z.int().describe('Number of values outside of the target at their time, including danger values'),
  })
  .meta({ id: 'ReadingBucket' });

export const ReadingList = wrapList(z.discriminatedUnion('kind', [ReadingShape, BucketShape])).meta({ id: 'ReadingList' });

const FIELDS = {
  measured_at: 'measuredAt',
  received_at: 'receivedAt',
  title: 'itemName',
  uuid: 'id',
  id: 'id',
} as const satisfies Record<string, ReadingSort['order']>;

const { sort, order } = sortBy<ReadingSort['order']>(FIELDS);

export const patientReadingsParams = z.object({ patient: id().describe('Patient id') });
export const patientReadingsQuery = z.object({
  'item_uuid[]': alsoNamed(ids(), 'item', 'item_id', 'items').describe('Item ids; all items by default'),
  start_date: date(),
  end_date: date(),
  source: z.enum(READING_SOURCES).optional().describe('Only readings of this source'),
  bucket: z
    .enum(['none', 'hour', 'day', 'week', 'month'])
    .default('none')
    .describe('Summarizes the readings of each item by period in the organization’s time zone; weeks begin on Monday'),
  sort,
  order: order.unwrap().optional().describe('DESC by default; ASC by title'),
  ...pagingByPosition,
});

type Query = z.output<typeof patientReadingsQuery>;

export const toReadingFilter = (patientId: number, query: Query): ReadingFilter => ({
  patientId,
  itemIds: query['item_uuid[]'],
  source: query.source,
  dates: toDates(query),
});

const isDescending = ({ sort: by, order: direction }: Query) => (direction === undefined ? by !== 'itemName' : direction === 'DESC');

export const toReadingSort = (query: Query): ReadingSort => ({ order: query.sort, descending: isDescending(query) });

/** Null where each reading is listed. Summaries are sorted by item or by time. */
export const toBucketSort = (query: Query): BucketSort | null =>
  query.bucket === 'none'
    ? null
    : { bucket: query.bucket, order: query.sort === 'itemName' ? 'itemName' : 'start', descending: isDescending(query) };

export const fromBucket = (bucket: ReadingBucket): z.input<typeof BucketShape> => ({
  kind: 'bucket',
  item: { uuid: bucket.item.id, name: bucket.item.name, unit: bucket.item.unit },
  from: writeInstant(bucket.from),
  to: writeInstant(bucket.to),
  from_local: writeLocal(bucket.fromLocal) ?? '',
  count: bucket.count,
  min: bucket.min,
  max: bucket.max,
  average: bucket.average,
  last: bucket.last,
  out_of_target: bucket.outOfTarget,
});

import { list, type SortOf, select, sortBy } from '../../../database/statements/list.ts';
import { type Statement, selectInstant, statement } from '../../../database/statements/statement.ts';
import type { Period } from '../../values/time/periods.ts';
import { type ErrorColumns, soundReading } from './readings.sql.ts';

/** A reading with its item and its device. Instants are ISO 8601 texts in UTC. */
export interface ReadingViewRow extends ErrorColumns {
  id: number;
  patient_id: number;
  item_id: number;
  item_name: string;
  unit: string | null;
  value: number;
  measured_at: string;
  /** The same, to the millisecond. */
  at: Date;
  received_at: string;
  source: string;
  check_in_id: number | null;
  recorded_by_user_id: number | null;
  implausible: boolean;
  device_id: number | null;
  identifier: string | null;
  make: string | null;
  model: string | null;
  serial: string | null;
}

const VIEW = `r.id, r.patient_id, r.item_id, i.name AS item_name, i.unit, r.value::float8 AS value,
       ${selectInstant('r.measured_at')} AS measured_at, r.measured_at AS at, ${selectInstant('r.received_at')} AS received_at, r.source, r.check_in_id,
       r.recorded_by_user_id, r.implausible, r.error_at, r.error_by_user_id, r.error_reason, r.device_id, d.identifier, d.make, d.model, d.serial`;
const WITH_ITEM_AND_DEVICE = `JOIN item i ON i.organization_id = r.organization_id AND i.id = r.item_id
       LEFT JOIN monitoring_device d ON d.organization_id = r.organization_id AND d.id = r.device_id`;

/** A patient's readings `r` in a range of time. Values: organization, patient, from, before, items or null, source or null. */
const OF_PATIENT = `r.organization_id = $1 AND r.patient_id = $2 AND r.measured_at >= $3::timestamptz AND r.measured_at < $4::timestamptz
       AND ($5::int[] IS NULL OR r.item_id = ANY ($5::int[])) AND ($6::text IS NULL OR r.source = $6::text)`;

/** Values: as of OF_PATIENT. */
export const READINGS = list({
  name: 'reading_page',
  select: select<ReadingViewRow>(VIEW),
  from: 'reading r',
  joins: WITH_ITEM_AND_DEVICE,
  where: OF_PATIENT,
  filters: {},
  orders: {
    measuredAt: sortBy('r.measured_at', 'r.id'),
    receivedAt: sortBy('r.received_at', 'r.id'),
    itemName: sortBy('i.name', 'r.measured_at', 'r.id'),
    id: sortBy('r.id'),
  },
});
export type ReadingSort = SortOf<typeof READINGS>;

/** Values: organization, reading. */
export const READING: Statement<ReadingViewRow> = statement(
  'reading',
  `SELECT ${VIEW} FROM reading r ${WITH_ITEM_AND_DEVICE} WHERE r.organization_id = $1 AND r.id = $2`,
);

/** Periods over which readings are summarized. */
export type Bucket = 'hour' | Period;

/** The place of the period in which a reading was measured among those that begin at the borders $7. */
const PLACE = 'width_bucket(r.measured_at, $7::timestamptz[])';
/** Of a summary by hour, full hours since its day began. */
const selectHour = (bucket: Bucket) =>
  bucket === 'hour' ? `floor(extract(epoch FROM r.measured_at - ($7::timestamptz[])[${PLACE}]) / 3600)::int` : '0';

/** When a patient's readings were measured, the first and the last. Values: as of OF_PATIENT. */
export const READING_SPAN: Statement<{ first: Date | null; last: Date | null }> = statement(
  'reading_span',
  `SELECT min(r.measured_at) AS first, max(r.measured_at) AS last FROM reading r WHERE ${OF_PATIENT}`,
);

export interface BucketRow {
  item_id: number;
  item_name: string;
  unit: string | null;
  /** Of the period among the borders, from 1 on. */
  place: number;
  /** Of a summary by hour, full hours since the border. */
  hour: number;
  count: number;
  min: number;
  max: number;
  average: number;
  last: number;
  out_of_target: number;
}

/** Limits of an item from an instant on, and before another: rows of the JSON $8, none for an item without limits. */
const SPANS = `jsonb_to_recordset($8::jsonb) AS t (item_id int, "from" timestamptz, before timestamptz, min numeric, max numeric,
                                                   "dangerMin" numeric, "dangerMax" numeric)`;

export interface BucketSort {
  bucket: Bucket;
  order: 'start' | 'itemName';
  descending: boolean;
}

/**
 * One page of summaries, one an item and period, of what is plausible and was not entered in error. Values: as of OF_PATIENT, then borders,
 * spans of targets, limit, offset.
 */
export function bucketPage({ bucket, order, descending }: BucketSort): Statement<BucketRow> {
  const direction = descending ? 'DESC' : 'ASC';
  const start = ['b.place', 'b.hour'];
  const sorted = order === 'start' ? [...start, 'i.name', 'b.item_id'] : ['i.name', 'b.item_id', ...start];
  return statement(
    `reading_buckets_${bucket}_${order}_${direction}`,
    `SELECT b.item_id, i.name AS item_name, i.unit, b.place, b.hour, b.count, b.min, b.max, b.average, b.last, b.out_of_target
       FROM (SELECT r.item_id, ${PLACE} AS place, ${selectHour(bucket)} AS hour, count(*)::int AS count, min(r.value)::float8 AS min, max(r.value)::float8 AS max,
                    round(avg(r.value), 3)::float8 AS average,
                    (array_agg(r.value ORDER BY r.measured_at DESC, r.id DESC))[1]::float8 AS last,
                    (count(*) FILTER (WHERE r.value < t.min OR r.value > t.max OR r.value <= t."dangerMin" OR r.value >= t."dangerMax"))::int
                      AS out_of_target
               FROM reading r
               LEFT JOIN ${SPANS} ON t.item_id = r.item_id AND r.measured_at >= t."from" AND r.measured_at < t.before
              WHERE ${OF_PATIENT} AND ${soundReading('r')} GROUP BY 1, 2, 3) AS b
       JOIN item i ON i.organization_id = $1 AND i.id = b.item_id
      ORDER BY ${sorted.map((term) => `${term} ${direction}`).join(', ')} LIMIT $9 OFFSET $10`,
  );
}

/** Values: as of OF_PATIENT, then borders. */
export const bucketCount = (bucket: Bucket): Statement<{ total: number }> =>
  statement(
    `reading_bucket_count_${bucket}`,
    `SELECT count(*)::int AS total FROM (SELECT DISTINCT r.item_id, ${PLACE}, ${selectHour(bucket)} FROM reading r WHERE ${OF_PATIENT} AND ${soundReading('r')}) AS b`,
  );

/** The items whose readings are summarized, each with the instants at which its target may have changed. Values: organization, patient, items or null. */
export const TARGET_CHANGES: Statement<{ item_id: number; changes: Date[] }> = statement(
  'target_changes',
  `SELECT i.id AS item_id,
          (SELECT coalesce(array_agg(DISTINCT c.at ORDER BY c.at), '{}')
             FROM tracked_condition t
             JOIN tracked_condition_item s ON s.organization_id = t.organization_id AND s.tracked_condition_id = t.id AND s.item_id = i.id
            CROSS JOIN LATERAL unnest(ARRAY[t.created_at, t.ended_at, s.since, s.until]) AS c (at)
            WHERE t.organization_id = $1 AND t.patient_id = $2 AND c.at IS NOT NULL) AS changes
     FROM item i WHERE i.organization_id = $1 AND ($3::int[] IS NULL OR i.id = ANY ($3::int[]))`,
);

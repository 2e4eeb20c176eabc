import { measureDisk } from '../../database/measures/disk.ts';
import { duration, size, writeQuantity } from '../../database/measures/quantities.ts';
import { databaseSize } from '../../database/measures/sizes.ts';
import { type DatabaseCheck, fail, ok, type Result, warn } from './finding.ts';

/** Share of the disk that is free. */
const FREE = { warn: 0.1, fail: 0.03 };
/** Days until the disk is full, at the rate of the last month. */
const DAYS_LEFT = { warn: 60, fail: 7 };
const DAY_SECONDS = 86_400;
export const STORAGE_CHECKS: readonly DatabaseCheck[] = [
  {
    name: 'disk',
    async look({ config, databaseServer, database: { pool } }) {
      const { bytes, nodesLeftOut } = await databaseSize(pool);
      const { rows } = await pool.query<Measured>(MEASURED);
      const growth = nodesLeftOut > 0 ? null : measureDailyGrowth(bytes, rows[0]);
      const grows = growth === null ? '' : `, and grows by ${size(Math.max(0, growth))} a day`;
      const figures = { database_bytes: bytes, ...(growth === null ? {} : { growth_bytes_per_day: Math.round(growth) }) };
      const leftOut = nodesLeftOut > 0 ? `, without ${writeQuantity(nodesLeftOut, 'node that does', 'nodes that do')} not answer` : '';
      const database = `the database has ${size(bytes)}${leftOut}${grows}`;
      if (!databaseServer.embedded && config.TRIPTYCH_FILES === 's3') return ok(`${database}; its disk is on another machine`, figures);
      const { free, share } = await measureDisk(config.DATA_DIR);
      const left = databaseServer.embedded && growth !== null && growth > 0 ? free / growth : Number.POSITIVE_INFINITY;
      return room({ database, free, share, left, figures: { ...figures, free_bytes: free } });
    },
  },
];

/** The oldest measurement of the last month. */
interface Measured {
  bytes: string;
  days: number;
}

/** Bytes a day since then; null in the first days. */
const measureDailyGrowth = (bytes: number, measured: Measured | undefined): number | null =>
  measured === undefined || measured.days < 1 ? null : (bytes - Number(measured.bytes)) / measured.days;

interface Room {
  database: string;
  free: number;
  share: number;
  left: number;
  figures: Result['figures'];
}

function room({ database, free, share, left, figures }: Room): Result {
  const until = Number.isFinite(left) ? `, enough for ${duration(left * DAY_SECONDS)}` : '';
  const found = `${database}; ${size(free)} of the disk are free (${Math.floor(share * 100)} %)${until}`;
  const advice = 'Free up space, or move DATA_DIR to a larger disk. When the disk is full, every write fails.';
  if (share < FREE.fail || left < DAYS_LEFT.fail) return fail(found, advice, figures);
  return share < FREE.warn || left < DAYS_LEFT.warn ? warn(found, advice, figures) : ok(found, figures);
}

const MEASURED = `
  SELECT bytes, current_date - day AS days FROM database_size WHERE day > current_date - 31 ORDER BY day LIMIT 1`;

const JOB = 'A server or worker creates them every ten minutes: start one, or search its log for "job failed" of keep-log-partitions.';

/** Whether the logs have partitions for the rows of this month and the next one, and no row without a month's partition. */
export const LOG_PARTITIONS_CHECK: DatabaseCheck = {
  name: 'log partitions',
  async look({ database: { pool } }) {
    const { rows } = await pool.query<{ log: string; partitions: number; missing: string[]; strays: number }>(PARTITIONS);
    const missing = rows.flatMap((row) => row.missing);
    const stray = rows.filter(({ strays }) => Number(strays) > 0);
    const figures = {
      partitions: rows.reduce((sum, row) => sum + row.partitions, 0),
      months_missing: missing.length,
      rows_without_month: stray.reduce((sum, { strays }) => sum + Number(strays), 0),
    };
    if (missing.length > 0) return warn(`there is no partition for ${missing.join(', ')}`, JOB, figures);
    if (stray.length > 0)
      return warn(
        `rows of a month without a partition: ${stray.map(({ log, strays }) => `${strays} of ${log}`).join(', ')}`,
        `${JOB} Rows of a later year were written while a clock was wrong; they stay there until that month begins.`,
        figures,
      );
    return ok(`${figures.partitions} partitions, with those of the next month`, figures);
  },
};

const PARTITIONS = `
  SELECT r.log, r.strays::int AS strays, (SELECT count(*)::int FROM log_partitions() p WHERE p.log = r.log) AS partitions,
         ARRAY(SELECT r.log || ' in ' || to_char(m.month AT TIME ZONE 'UTC', 'YYYY-MM')
                 FROM (VALUES (date_trunc('month', now(), 'UTC')), (date_trunc('month', date_trunc('month', now(), 'UTC') + interval '40 days', 'UTC'))) AS m (month)
                WHERE NOT EXISTS (SELECT FROM log_partitions() p
                                   WHERE p.log = r.log AND coalesce(p.lower, '-infinity') <= m.month AND p.upper > m.month)) AS missing
    FROM log_rows_without_partition() r ORDER BY r.log`;

import { type DatabaseCheck, ok, warn } from './finding.ts';

const JOB = 'A server or worker makes them every ten minutes: start one, or look in its log for "job failed" of keep-log-partitions.';

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
        `${JOB} Rows of a later year were written while a clock was wrong; they stay where they are until their month comes.`,
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

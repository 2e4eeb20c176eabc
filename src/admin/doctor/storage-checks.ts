import { diskOf } from '../../database/disk.ts';
import { counted, duration, size } from '../../database/quantities.ts';
import { databaseSize } from '../../database/sizes.ts';
import { byLimit, type DatabaseCheck, fail, ok, type Result, warn } from './finding.ts';

/** Share of the disk that is free. */
const FREE = { warn: 0.1, fail: 0.03 };
/** Days until the disk is full, at the rate of the last month. */
const DAYS_LEFT = { warn: 60, fail: 7 };
const DAY_SECONDS = 86_400;
/** Age of the oldest transaction id that is not frozen. PostgreSQL stops at 2,000,000,000. */
const AGE = { warn: 500_000_000, fail: 1_500_000_000 };
/** Bytes and share of a table that nothing needs, from which on it is worth a look. */
const DEAD_ROWS = { least: 50_000, share: 0.3 };
const BLOAT = { least: 500_000_000, share: 0.6 };

/** The disk, and how PostgreSQL keeps house on it. */
export const STORAGE_CHECKS: readonly DatabaseCheck[] = [
  {
    name: 'disk',
    async look({ config, databaseServer, database: { pool } }) {
      const { bytes, nodesLeftOut } = await databaseSize(pool);
      const { rows } = await pool.query<Measured>(MEASURED);
      const growth = nodesLeftOut > 0 ? null : growthOf(bytes, rows[0]);
      const grows = growth === null ? '' : `, and grows by ${size(Math.max(0, growth))} a day`;
      const figures = { database_bytes: bytes, ...(growth === null ? {} : { growth_bytes_per_day: Math.round(growth) }) };
      const leftOut = nodesLeftOut > 0 ? `, without ${counted(nodesLeftOut, 'node that does', 'nodes that do')} not answer` : '';
      const database = `the database has ${size(bytes)}${leftOut}${grows}`;
      if (!databaseServer.embedded && config.TRIPTYCH_FILES === 's3') return ok(`${database}; its disk is another machine's`, figures);
      const { free, share } = await diskOf(config.DATA_DIR);
      const left = databaseServer.embedded && growth !== null && growth > 0 ? free / growth : Number.POSITIVE_INFINITY;
      return room({ database, free, share, left, figures: { ...figures, free_bytes: free } });
    },
  },
  {
    name: 'vacuum',
    async look({ database: { pool } }) {
      const { rows } = await pool.query<{ autovacuum: boolean; age: string; dead: string[] }>(VACUUM, [DEAD_ROWS.least, DEAD_ROWS.share]);
      const [age, dead] = [Number(rows[0]?.age ?? 0), rows[0]?.dead ?? []];
      const figures = { oldest_transaction_age: age, tables_with_dead_rows: dead.length };
      if (rows[0]?.autovacuum === false) return fail('autovacuum is off', 'Set autovacuum = on in postgresql.conf, and reload.', figures);
      const found = dead.length > 0 ? `many dead rows in ${dead.join(', ')}` : 'no table has many dead rows';
      const advice = 'As the owner: VACUUM (ANALYZE). A transaction that stays open, or a replication slot, keeps it from working.';
      const aging = byLimit(age, AGE, { found: `${found}; the oldest row is ${age} transactions old`, advice, figures });
      return aging.state === 'ok' && dead.length > 0 ? warn(found, advice, figures) : aging;
    },
  },
  {
    name: 'bloat',
    async look({ database: { pool } }) {
      const { rows } = await pool.query<{ table: string; wasted: string }>(BLOATED, [BLOAT.least, BLOAT.share]);
      const wasted = rows.reduce((sum, row) => sum + Number(row.wasted), 0);
      const figures = { wasted_bytes: wasted };
      if (rows.length === 0) return ok('no table is much larger than its rows', figures);
      return warn(
        `about ${size(wasted)} of ${rows.map(({ table }) => table).join(', ')} hold nothing`,
        'New rows use the room. To give it back, at a quiet time as the owner: VACUUM (FULL), which locks the table, or pg_repack.',
        figures,
      );
    },
  },
];

/** The oldest measurement of the last month. */
interface Measured {
  bytes: string;
  days: number;
}

/** Bytes a day since then; null in the first days. */
const growthOf = (bytes: number, measured: Measured | undefined): number | null =>
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
  const advice = 'Make room, or move DATA_DIR to a larger disk: with a full one, every write is refused.';
  if (share < FREE.fail || left < DAYS_LEFT.fail) return fail(found, advice, figures);
  return share < FREE.warn || left < DAYS_LEFT.warn ? warn(found, advice, figures) : ok(found, figures);
}

const MEASURED = `
  SELECT bytes, current_date - day AS days FROM database_size WHERE day > current_date - 31 ORDER BY day LIMIT 1`;

/** Values: dead rows of a table, and their share of it, from which on they are many. */
const VACUUM = `
  SELECT current_setting('autovacuum')::boolean AS autovacuum,
         (SELECT age(datfrozenxid) FROM pg_database WHERE datname = current_database()) AS age,
         ARRAY(SELECT relname::text FROM pg_stat_user_tables
                WHERE n_dead_tup > $1::int AND n_dead_tup > $2::float * (n_live_tup + n_dead_tup)
                ORDER BY n_dead_tup DESC LIMIT 5) AS dead`;

/**
 * The rows' widths as PostgreSQL last sampled them, with their headers, beside the size of the table. Values: bytes of a table that hold
 * nothing, and their share of it, from which on they are many.
 */
const BLOATED = `
  SELECT * FROM (
    SELECT c.relname AS table, pg_relation_size(c.oid) AS bytes,
           (pg_relation_size(c.oid) - c.reltuples * (28 + sum((1 - s.null_frac) * s.avg_width)) * 1.1)::bigint AS wasted
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_stats s ON s.schemaname = n.nspname AND s.tablename = c.relname
     WHERE n.nspname = current_schema() AND c.relkind = 'r' AND c.reltuples > 0
     GROUP BY c.oid, c.relname, c.reltuples) AS sized
   WHERE wasted > $1::bigint AND wasted > $2::float * bytes
   ORDER BY wasted DESC LIMIT 5`;

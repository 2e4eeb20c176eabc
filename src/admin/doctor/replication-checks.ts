import { serversOf } from '../../config/database-address.ts';
import { StartError } from '../../config/start-errors.ts';
import { lackingSettings } from '../../database/pooler.ts';
import { duration } from '../../database/quantities.ts';
import { byLimit, type DatabaseCheck, fail, ok, type Result, warn } from './finding.ts';

/** Seconds that a standby may be behind. */
const LAG = { warn: 30, fail: 600 };
const SECTION = 'docs/operations.md, "Poolers and standbys".';

/** The pooler between the server and its database, and the standbys behind that. */
export const REPLICATION_CHECKS: readonly DatabaseCheck[] = [
  {
    name: 'pooler',
    async look({ databaseServer: { url, directUrl } }) {
      if (directUrl === undefined) return ok('there is none between the server and its database');
      const lacking = await lackingSettings({ url, directUrl }).catch((error: unknown) => {
        if (error instanceof StartError) return error;
        throw error;
      });
      if (lacking instanceof StartError) return fail(lacking.message, SECTION);
      if (lacking.length === 0) return ok('transactions and named statements go through, and DATABASE_DIRECT_URL leads past it');
      return warn(`its sessions have others' settings: ${lacking.join(', ')}`, 'Restart it, or say RECONNECT in its console.');
    },
  },
  {
    name: 'standbys',
    async look({ databaseServer, database: { pool } }) {
      const { rows } = await pool.query<Following>(FOLLOWING);
      return standbys(rows[0] ?? NONE, serversOf(databaseServer.url).length);
    },
  },
];

interface Following {
  /** Standbys that are connected. */
  standbys: number;
  /** Those whose state the role may see. */
  seen: number;
  /** Those that a commit waits for. */
  synchronous: number;
  /** Seconds that the last one is behind. */
  lag: number;
  /** Whether commits wait for a standby by the settings. */
  waits: boolean;
}

const NONE: Following = { standbys: 0, seen: 0, synchronous: 0, lag: 0, waits: false };

/** @param servers that the address names */
function standbys({ standbys: count, seen, synchronous, lag, waits }: Following, servers: number): Result {
  const figures = { standbys: count, synchronous, lag_seconds: Math.round(lag) };
  const start = `Start it again: ${SECTION}`;
  if (count === 0 && waits) return fail('commits wait for a standby, and none is connected', start, figures);
  if (count === 0)
    return servers > 1 ? warn('DATABASE_URL names standbys, and none is connected', start, figures) : ok('there is none', figures);
  const found = `${count} connected`;
  if (seen === 0) return ok(`${found}; how far they are is hidden from the role (GRANT pg_monitor shows it)`, figures);
  const advice = 'Look at its disk, its network and its log: a failover to it would take as long, or lose what it lacks.';
  const state = byLimit(lag, LAG, { found: `${found}, ${synchronous} synchronous, ${duration(lag)} behind`, advice, figures });
  if (state.state !== 'ok' || synchronous > 0) return state;
  const alone = 'Set synchronous_standby_names, so that commits wait for a standby.';
  return warn(`${found}, none synchronous: a failover would lose the newest commits`, alone, figures);
}

/** Of another role's processes nothing but their number is visible, without pg_monitor. */
const FOLLOWING = `
  SELECT count(*)::int AS standbys, count(state)::int AS seen, count(*) FILTER (WHERE sync_state IN ('sync', 'quorum'))::int AS synchronous,
         coalesce(extract(epoch FROM max(replay_lag)), 0)::float AS lag,
         current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') NOT IN ('off', 'local') AS waits
    FROM pg_stat_replication`;

import type pg from 'pg';

/** Connections of PostgreSQL, those of other programs too. */
export interface Connections {
  used: number;
  allowed: number;
}

export async function measureConnections(pool: pg.Pool): Promise<Connections> {
  const { rows } = await pool.query<Connections>(CONNECTIONS);
  return rows[0] ?? { used: 0, allowed: 1 };
}

export interface Standbys {
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

export async function measureStandbys(pool: pg.Pool): Promise<Standbys> {
  const { rows } = await pool.query<Standbys>(STANDBYS);
  return rows[0] ?? { standbys: 0, seen: 0, synchronous: 0, lag: 0, waits: false };
}

/** Of another role's connections nothing but this number is visible, without pg_monitor. */
const CONNECTIONS = `
  SELECT sum(numbackends)::int AS used, current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS allowed
    FROM pg_stat_database`;

/** Of another role's processes nothing but their number is visible, without pg_monitor. */
const STANDBYS = `
  SELECT count(*)::int AS standbys, count(state)::int AS seen, count(*) FILTER (WHERE sync_state IN ('sync', 'quorum'))::int AS synchronous,
         coalesce(extract(epoch FROM max(replay_lag)), 0)::float AS lag,
         current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') NOT IN ('off', 'local') AS waits
    FROM pg_stat_replication`;

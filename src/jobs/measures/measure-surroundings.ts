import { diskOf } from '../../database/measures/disk.ts';
import { connectionsOf, standbysOf } from '../../database/measures/server-load.ts';
import type { JobDeps } from '../queue/job-deps.ts';
import { jobGauge } from './job-gauge.ts';

const diskFree = jobGauge('disk_free_bytes', 'Bytes that are free on the disk of DATA_DIR');
const diskFreeRatio = jobGauge('disk_free_ratio', 'The free part of the disk of DATA_DIR, 0 to 1');
const used = jobGauge('database_server_connections', 'Connections that PostgreSQL has, of all programs');
const allowed = jobGauge('database_server_connections_allowed', 'Connections that PostgreSQL takes of roles that are no superuser');
const lag = jobGauge(
  'database_standby_lag_seconds',
  'Seconds that the last standby is behind; 0 where there is none, NaN where the role may not see it',
);

/** Sets the metrics of the disk and of PostgreSQL as a whole. */
export async function measureSurroundings({ config, database: { pool } }: Pick<JobDeps, 'config' | 'database'>): Promise<void> {
  const [disk, connections, standbys] = await Promise.all([diskOf(config.DATA_DIR), connectionsOf(pool), standbysOf(pool)]);
  diskFree.set(disk.free);
  diskFreeRatio.set(disk.share);
  used.set(connections.used);
  allowed.set(connections.allowed);
  lag.set(standbys.seen < standbys.standbys ? Number.NaN : standbys.lag);
}

import { splitServers } from '../../config/database-address.ts';
import { StartError } from '../../config/start-errors.ts';
import { duration } from '../../database/measures/quantities.ts';
import { measureStandbys, type Standbys } from '../../database/measures/server-load.ts';
import { lackingSettings } from '../../database/migrations/pooler.ts';
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
      if (lacking.length === 0) return ok('transactions and prepared statements work, and DATABASE_DIRECT_URL bypasses it');
      return warn(`its sessions have settings of other sessions: ${lacking.join(', ')}`, 'Restart it, or run RECONNECT in its console.');
    },
  },
  {
    name: 'standbys',
    async look({ databaseServer, database: { pool } }) {
      return standbys(await measureStandbys(pool), splitServers(databaseServer.url).length);
    },
  },
];

/** @param servers that the address names */
function standbys({ standbys: count, seen, synchronous, lag, waits }: Standbys, servers: number): Result {
  const figures = { standbys: count, synchronous, lag_seconds: Math.round(lag) };
  const start = `Start it again: ${SECTION}`;
  if (count === 0 && waits) return fail('commits wait for a standby, but none is connected', start, figures);
  if (count === 0)
    return servers > 1 ? warn('DATABASE_URL names standbys, but none is connected', start, figures) : ok('there is none', figures);
  const found = `${count} connected`;
  if (seen === 0) return ok(`${found}; their lag is hidden from the role (GRANT pg_monitor to see it)`, figures);
  const advice = 'Check its disk, network and log. A failover to it would take that long, or lose those commits.';
  const state = byLimit(lag, LAG, { found: `${found}, ${synchronous} synchronous, ${duration(lag)} behind`, advice, figures });
  if (state.state !== 'ok' || synchronous > 0) return state;
  const alone = 'Set synchronous_standby_names, so that commits wait for a standby.';
  return warn(`${found}, none synchronous: a failover would lose the newest commits`, alone, figures);
}

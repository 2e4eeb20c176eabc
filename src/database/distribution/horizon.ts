import type pg from 'pg';
import type { Step } from './step.ts';

const FUNCTION = `
  SELECT quote_ident(n.nspname) AS here, position('pg_locks' IN p.prosrc) > 0 AS done
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE p.oid = 'log_horizon()'::regprocedure`;

/**
 * The horizon of the logs where rows are on nodes. A transaction over several nodes, or with INSERT … SELECT, ends on the coordinator first:
 * its number is gone from the snapshot while its rows are only prepared on the nodes. The lock of its number is released after the
 * nodes have committed, so the lowest number that is locked bounds the horizon, too. Locks are read after the snapshot was taken:
 * whoever is in neither has ended everywhere. A lock has the lower 32 bits of a number, which is the nearest one to the snapshot's.
 */
const writeDefinition = (here: string) => `
CREATE OR REPLACE FUNCTION log_horizon() RETURNS bigint LANGUAGE plpgsql STABLE AS $body$
DECLARE
  oldest bigint := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
BEGIN
  SELECT least(oldest, oldest + min((transactionid::text::bigint - oldest % 4294967296 + 6442450944) % 4294967296 - 2147483648))
    INTO oldest FROM pg_catalog.pg_locks WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock' AND granted;
  RETURN oldest + (SELECT transaction_offset FROM ${here}.log_epoch);
END $body$`;

/** The function as the coordinator of a cluster needs it; none where it is so already. */
export async function horizonSteps(client: pg.Client): Promise<Step[]> {
  const { rows } = await client.query<{ here: string; done: boolean }>(FUNCTION);
  return rows
    .filter(({ done }) => !done)
    .map(({ here }) => ({ title: 'the horizon of the logs of all nodes', sql: writeDefinition(here), rows: null }));
}

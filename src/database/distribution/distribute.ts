import type pg from 'pg';
import { StartError } from '../../config/start-errors.ts';
import { connected, ownerVariable } from '../migrate-on-start.ts';
import { pendingMigrations } from '../migrations.ts';
import { type DatabaseUrls, isOwner } from '../runtime-role.ts';
import { isCluster } from './cluster.ts';
import type { Step } from './step.ts';
import { remainingSteps, SETTINGS } from './steps.ts';

export interface DistributeWishes {
  /** Whether to return the steps and run none. */
  dryRun: boolean;
  /** Into how many parts the rows of practices are divided; a part is moved as a whole. It cannot be changed later by this command. */
  shards: number;
  /** Receives each step before it is run, and how many there are. */
  report: (step: Step, place: number, of: number) => void;
}

/** Milliseconds of one step: the rows of the largest table are copied to their nodes in it. */
const STEP_TIMEOUT_MS = 24 * 3_600_000;

/**
 * Gives every table of a migrated database its place in a cluster of Citus. What is done already is left out, so it may be run again:
 * after an interruption, and after a migration.
 * @returns the steps that were run, or with `dryRun` would be
 * @throws StartError where the database is none of Citus, has pending migrations, is in use, or the role is not the owner
 */
export async function distribute(urls: DatabaseUrls, { dryRun, shards, report }: DistributeWishes): Promise<Step[]> {
  return connected(urls.ownerUrl, ownerVariable(urls), async (client) => {
    await client.query(`SET statement_timeout = ${STEP_TIMEOUT_MS}`);
    await requireCluster(client);
    await requireMigrated(client);
    const steps = await remainingSteps(client, shards);
    if (dryRun || steps.length === 0) return steps;
    await requireUnused(client);
    for (const setting of SETTINGS) await client.query(setting);
    for (const [place, step] of steps.entries()) {
      report(step, place + 1, steps.length);
      await client.query(step.sql);
    }
    return steps;
  });
}

async function requireCluster(client: pg.Client): Promise<void> {
  if (!(await isCluster(client)))
    throw new StartError('The database has no extension "citus": there are no nodes to distribute its tables to (docs/scaling.md).');
  const { rows } = await client.query<{ nodes: number }>(
    'SELECT count(*)::int AS nodes FROM pg_dist_node WHERE isactive AND shouldhaveshards',
  );
  if (rows[0]?.nodes === 0)
    throw new StartError('The cluster has no node that takes rows: add one with citus_add_node() on the coordinator (docs/scaling.md).');
}

async function requireMigrated(client: pg.Client): Promise<void> {
  if (!(await isOwner(client)))
    throw new StartError('The role does not own the tables. Set DATABASE_OWNER_URL to the address of the role that does.');
  const pending = await pendingMigrations(client);
  if (pending.length > 0) throw new StartError(`The database lacks ${pending.length} migrations. Run "npm run db:migrate" first.`);
}

/** Tables are distributed one after the other: a server would find some here and some there. */
async function requireUnused(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ sessions: number }>(
    `SELECT count(*)::int AS sessions FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'triptych' AND pid <> pg_backend_pid()`,
  );
  if (rows[0]?.sessions !== 0) throw new StartError('Servers or workers are connected to the database. Stop them first.');
}

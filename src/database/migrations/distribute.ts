import type pg from 'pg';
import { StartError } from '../../config/start-errors.ts';
import { type DatabaseUrls, isOwner } from '../connections/runtime-role.ts';
import { isCluster } from '../distribution/cluster.ts';
import type { Step } from '../distribution/step.ts';
import { remainingSteps, SETTINGS } from '../distribution/steps.ts';
import { writeQuantity } from '../measures/quantities.ts';
import { notOwner, ownerVariable, withConnection } from './migrate-on-start.ts';
import { pendingMigrations } from './migrations.ts';

export interface DistributeWishes {
  /** Whether to return the steps and run none. */
  dryRun: boolean;
  /**
   * Into how many parts the rows of practices are divided, SHARDS where none is named; a part is moved as a whole. This command cannot
   * change it later.
   */
  shards?: number | undefined;
  /** Receives each step before it is run, and how many there are. */
  report: (step: Step, place: number, of: number) => void;
}

/** Parts of the rows of practices where none are named: docs/scaling.md has the sizes. */
export const SHARDS = 64;

/** Milliseconds of one step: the rows of the largest table are copied to their nodes in it. */
const STEP_TIMEOUT_MS = 24 * 3_600_000;

/**
 * Gives every table of a migrated database its place in a cluster of Citus. What is done already is left out, so it may be run again:
 * after an interruption, and after a migration.
 * @returns the steps that were run, or with `dryRun` would be
 * @throws StartError where the database is none of Citus, has pending migrations or another number of parts, or is in use,
 * or the role is not the owner
 */
export async function distribute(urls: DatabaseUrls, { dryRun, shards, report }: DistributeWishes): Promise<Step[]> {
  return withConnection(urls.ownerUrl, ownerVariable(urls), async (client) => {
    await client.query(`SET statement_timeout = ${STEP_TIMEOUT_MS}`);
    await requireCluster(client);
    if (!(await isOwner(client))) throw notOwner(urls);
    await requireMigrated(client);
    await requireParts(client, shards);
    const steps = await remainingSteps(client, shards ?? SHARDS);
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
    throw new StartError('The cluster has no node for rows: add one with citus_add_node() on the coordinator (docs/scaling.md).');
}

async function requireMigrated(client: pg.Client): Promise<void> {
  const pending = await pendingMigrations(client);
  if (pending.length > 0)
    throw new StartError(`The database lacks ${writeQuantity(pending.length, 'migration')}. Run "npm run db:migrate" first.`);
}

/** Rows that are divided already stay so, and a practice that was given a part of its own has added one. */
async function requireParts(client: pg.Client, shards: number | undefined): Promise<void> {
  const { rows } = await client.query<{ parts: number }>(
    "SELECT count(*)::int AS parts FROM pg_dist_shard WHERE logicalrelid = 'patient'::regclass AND shardminvalue IS NOT NULL",
  );
  const parts = rows[0]?.parts ?? 0;
  if (parts > 0 && shards !== undefined && shards !== parts)
    throw new StartError(`The rows are divided into ${writeQuantity(parts, 'part')} already, which cannot change. Omit --shards.`);
}

/** Tables are distributed one after the other: a server would find some here and some there. */
async function requireUnused(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ sessions: number }>(
    `SELECT count(*)::int AS sessions FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'triptych' AND pid <> pg_backend_pid()`,
  );
  if (rows[0]?.sessions !== 0) throw new StartError('Servers or workers are connected to the database. Stop them first.');
}

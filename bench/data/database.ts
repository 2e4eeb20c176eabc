import { readFile, rm, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { type Cluster, startCluster } from '../../src/database/embedded/cluster.ts';
import { migrate } from '../../src/database/migrations/migrations.ts';
import type { Options } from '../options.ts';
import { fill } from './fill.ts';
import { type PracticePlan, practicePlans, type Size } from './practices.ts';
import { setUpTexting } from './texting.ts';

/** Increased whenever fill() changes: older databases are then created again. */
const DATA_VERSION = 3;

const marker = z.object({ version: z.number(), practices: z.number().default(1) });

export interface BenchDatabase {
  url: string;
  superuserUrl: string;
  /** The folder of the database, its keys and the logs. */
  folder: string;
  plans: PracticePlan[];
  settings: Record<string, string>;
  stop(): Promise<void>;
}

/** A quarter of the memory, as PostgreSQL's manual advises, at most as much as a million charts need. */
const SHARED_BUFFERS_MIB = Math.min(6 * 1024, Math.floor(totalmem() / 2 ** 20 / 4));

/** PostgreSQL's settings, the same for all servers. Commits are durable, as in production. */
const SETTINGS = {
  shared_buffers: `${SHARED_BUFFERS_MIB}MB`,
  max_wal_size: '8GB',
  checkpoint_timeout: '30min',
  // The machine may have no more than two cores, and each worker of a parallel query would take one from another request.
  max_parallel_workers_per_gather: '0',
  // Autovacuum would be counted for the server under load; the tables are vacuumed beforehand instead.
  autovacuum: 'off',
};

type Wanted = Pick<Options, 'quick' | 'folder'> & { size?: Size };

/** Opens the database of this size (by default that of `quick`): an earlier run's or a new one. */
export async function openBenchDatabase(options: Wanted, tell: (line: string) => void): Promise<BenchDatabase> {
  const size = options.size ?? (options.quick ? 'quick' : 'million');
  const folder = join(options.folder, size);
  const mark = join(folder, 'made.json');
  const made = marker.safeParse(JSON.parse(await readFile(mark, 'utf8').catch(() => 'null'))).data;
  const plans = practicePlans(size);
  const usable = made?.version === DATA_VERSION && made.practices === plans.length;
  if (!usable) await rm(folder, { recursive: true, force: true });
  const cluster = await startCluster({ folder, settings: SETTINGS, report: tell });
  try {
    await migrate(cluster);
    if (!usable) {
      tell(`filling a database in ${folder}; later runs use it again`);
      await fill(cluster.superuserUrl, plans, tell);
      await writeFile(mark, JSON.stringify({ version: DATA_VERSION, practices: plans.length }));
    }
    if (plans.length > 1) await setUpTexting(cluster.superuserUrl);
    await makeReady(cluster.superuserUrl, tell);
    return { url: cluster.url, superuserUrl: cluster.superuserUrl, folder, plans, settings: SETTINGS, stop: () => cluster.stop() };
  } catch (error) {
    await stopAfter(cluster);
    throw error;
  }
}

/**
 * Reads tables and indexes into PostgreSQL's memory, the small ones first, as long as there is room, and clears away what the
 * previous run has left, so that neither the disk nor the file cache of the system is measured.
 */
async function makeReady(url: string, tell: (line: string) => void): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_prewarm');
    const { rows } = await client.query<{ relation: string; mib: number }>(
      `SELECT relation, mib
         FROM (SELECT c.oid::text AS relation, pg_relation_size(c.oid) / 1048576.0 AS mib,
                      sum(pg_relation_size(c.oid)) OVER (ORDER BY pg_relation_size(c.oid), c.oid) / 1048576.0 AS so_far
                 FROM pg_class c
                WHERE c.relkind IN ('r', 'i', 't') AND c.relpersistence = 'p') AS sized
        WHERE so_far < $1 * 0.9
        ORDER BY so_far`,
      [SHARED_BUFFERS_MIB],
    );
    const mib = rows.reduce((sum, row) => sum + Number(row.mib), 0);
    tell(`reading ${mib.toFixed(0)} MiB of the database into memory`);
    for (const { relation } of rows) await client.query('SELECT pg_prewarm($1::oid::regclass)', [relation]);
    await client.query('VACUUM (ANALYZE)');
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}

/** Ids of listed patients from all over a practice: the same in every run. */
export async function samplePatients(url: string, { organizationId, before, patients }: PracticePlan, count: number): Promise<number[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: number }>(
      `SELECT (SELECT patient_id FROM patient_name_key WHERE organization_id = $1 AND patient_id > $2 + n * $3 AND ordinal = 1 ORDER BY patient_id LIMIT 1) AS id
         FROM generate_series(0, $4 - 1) AS n`,
      [organizationId, before, Math.floor(patients / count), count],
    );
    return rows.map(({ id }) => id);
  } finally {
    await client.end();
  }
}

/** Ids of appointments of a practice that are to come, from all over it. */
export async function sampleAppointments(url: string, { organizationId }: PracticePlan, count: number): Promise<number[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>(
      `SELECT id FROM appointment WHERE organization_id = $1 AND status = 'scheduled' AND starts_at > now()
        ORDER BY hashint8extended(id, 0) LIMIT $2`,
      [organizationId, count],
    );
    return rows.map(({ id }) => Number(id));
  } finally {
    await client.end();
  }
}

async function stopAfter(cluster: Cluster): Promise<void> {
  await cluster.stop().catch(() => {});
}

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';
import type pg from 'pg';
import { type DatabaseUrls, grantToRuntimeRole } from '../connections/runtime-role.ts';
import { singleConnection } from '../connections/single-connection.ts';
import { connectionOptions } from '../database.ts';
import { keepToCoordinator } from '../distribution/cluster-scripts.ts';
import { keepLogsInOrder } from '../logs/log-order.ts';
import { makeLogPartitionsAtOnce } from '../logs/log-partitions.ts';
import { explainFailure } from './migration-scripts.ts';
import { NO_FILTER, type Notice, PRISMA_FOLDER, STATEMENT_TIMEOUT_MS, withSchemaEngine } from './schema-engine.ts';

export const MIGRATIONS_FOLDER = join(PRISMA_FOLDER, 'migrations');
/** The schema that the newest migration leads to, as `currentSchema` returned it when that migration was written. */
export const SCHEMA_SNAPSHOT = join(MIGRATIONS_FOLDER, 'schema.prisma');

/** Key of the advisory lock that a process holds while it migrates; the value is arbitrary. */
const ADVISORY_LOCK = 7_410_255;
/** Milliseconds from one attempt at it to the next. */
const LOCK_PAUSE_MS = 200;

/** The names of the committed migrations, oldest first. */
export async function migrationNames(folder = MIGRATIONS_FOLDER): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

async function migrationsList(names: readonly string[], folder: string) {
  const lockfile = { path: 'migration_lock.toml', content: await readFile(join(folder, 'migration_lock.toml'), 'utf8') };
  const migrationDirectories = await Promise.all(
    names.map(async (name) => {
      const content = await readFile(join(folder, name, 'migration.sql'), 'utf8');
      return { path: name, migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: content } } };
    }),
  );
  return { baseDir: folder, lockfile, shadowDbInitScript: '', migrationDirectories };
}

export interface MigrateOptions {
  /** Names of the migrations to apply, the oldest ones: for a restore of an earlier version's backup. */
  only?: readonly string[];
  /** Whether the database is a copy of an earlier state, so that the numbers of its logs begin above all that were handed out since. */
  isCopy?: boolean;
  /** Of the migrations: tests have one more. */
  folder?: string;
}

/**
 * Applies the pending migrations as the owner, exactly as `prisma migrate deploy` does, and grants the runtime role its
 * privileges. Several processes may start at the same time: they wait for each other on an advisory lock.
 * @param notice receives what the scripts tell the operator, such as how many rows one of them changed
 * @returns names of the migrations that were applied
 */
export async function migrate(
  urls: DatabaseUrls,
  notice: Notice = () => {},
  { only, isCopy = false, folder = MIGRATIONS_FOLDER }: MigrateOptions = {},
): Promise<string[]> {
  const client = singleConnection(connectionOptions(urls.ownerUrl, STATEMENT_TIMEOUT_MS));
  await client.connect();
  try {
    await lockMigrations(client);
    await keepToCoordinator(client);
    const applied = await applyPending(client, urls.ownerUrl, notice, { names: only ?? (await migrationNames(folder)), folder });
    await keepLogsInOrder(client, isCopy);
    await makeLogPartitionsAtOnce(client);
    await grantToRuntimeRole(client, urls);
    return applied;
  } finally {
    await client.end();
  }
}

/**
 * Waits until no other process migrates. It asks again and again: a statement that waited for the lock would be a transaction that
 * an index, which is built beside others, waits for in its turn.
 */
async function lockMigrations(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [ADVISORY_LOCK]);
    if (rows[0]?.locked) return;
    await sleep(LOCK_PAUSE_MS);
  }
}

async function applyPending(
  client: pg.Client,
  url: string,
  notice: Notice,
  { names, folder }: { names: readonly string[]; folder: string },
): Promise<string[]> {
  const pending = await pendingMigrations(client, folder);
  if (!names.some((name) => pending.includes(name))) return [];
  await forgetInterrupted(client);
  const list = await migrationsList(names, folder);
  const apply = (engine: SchemaEngine) => engine.applyMigrations({ migrationsList: list, filters: NO_FILTER });
  try {
    return (await withSchemaEngine(url, apply, notice)).appliedMigrationNames;
  } catch (error) {
    throw explainFailure(error, await findUnfinished(client));
  }
}

/** The name of the migration that was begun last, and not finished. */
async function findUnfinished(client: pg.Client): Promise<string | undefined> {
  if (!(await hasHistory(client))) return undefined;
  const { rows } = await client.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL ORDER BY started_at DESC LIMIT 1',
  );
  return rows[0]?.name;
}

/** A start that was killed in a migration leaves its mark; a script that did not come to its end was rolled back whole, so it may run again. */
async function forgetInterrupted(client: pg.Client): Promise<void> {
  if (await hasHistory(client))
    await client.query('UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL');
}

type Queryable = { query: pg.Pool['query'] | pg.Client['query'] };

async function hasHistory(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found`);
  return rows[0]?.found === true;
}

/** Committed migrations that this database has not finished. */
export async function pendingMigrations(db: Queryable, folder?: string): Promise<string[]> {
  const names = await migrationNames(folder);
  if (!(await hasHistory(db))) return names;
  const { rows } = await db.query<{ migration_name: string }>(
    'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL',
  );
  const finished = new Set(rows.map((row) => row.migration_name));
  return names.filter((name) => !finished.has(name));
}

/** Migrations of the database that this program does not have: a newer release applied them. */
export async function unknownMigrations(db: Queryable, folder?: string): Promise<string[]> {
  if (!(await hasHistory(db))) return [];
  const { rows } = await db.query<{ name: string }>(
    `SELECT migration_name AS name FROM _prisma_migrations WHERE rolled_back_at IS NULL AND NOT migration_name = ANY ($1::text[]) ORDER BY 1`,
    [await migrationNames(folder)],
  );
  return rows.map(({ name }) => name);
}

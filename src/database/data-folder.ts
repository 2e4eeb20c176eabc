import { access, constants, mkdir, realpath } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Config, StartError } from '../config/config.ts';
import { connectionOptions } from './database.ts';
import { runningClusterUrl, startCluster } from './embedded/cluster.ts';
import { acquireLock, DataDirInUse, lockHolder } from './embedded/lock.ts';
import { migrate, pendingMigrations } from './migrations.ts';

/** The database that this process works on, and how to leave it. */
export interface DatabaseServer {
  url: string;
  embedded: boolean;
  /** Resolves when an embedded database ends by itself, or the server that runs it. */
  ended: Promise<void>;
  release(): Promise<void>;
}

/** Tells a person what takes a moment. */
export type ReportProgress = (what: string) => void;

const silent: ReportProgress = () => {};
const never = new Promise<void>(() => {});
/** How long another process may take to start the database that this one waits for. */
const PATIENCE_MS = 60_000;

/**
 * The server's database: DATABASE_URL, else the embedded one in DATA_DIR, which this process then runs and nobody else.
 * @throws DataDirInUse when another server runs on DATA_DIR
 */
export async function acquireDatabaseServer(config: Config, report = silent): Promise<DatabaseServer> {
  if (config.DATABASE_URL) return { url: config.DATABASE_URL, embedded: false, ended: never, release: async () => {} };
  const folder = await usableFolder(config.DATA_DIR);
  const unlock = await acquireLock(folder);
  try {
    const cluster = await startCluster({ folder, report });
    const release = async () => {
      await cluster.stop();
      await unlock();
    };
    return { url: cluster.url, embedded: true, ended: cluster.ended, release };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** For commands and further workers: the same database as the server, beside it if it runs, else for as long as this runs. */
export async function attachDatabaseServer(config: Config): Promise<DatabaseServer> {
  if (config.DATABASE_URL) return acquireDatabaseServer(config);
  const folder = await usableFolder(config.DATA_DIR);
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const holder = await lockHolder(folder);
    if (holder === null) {
      const databaseServer = await acquireDatabaseServer(config).catch(anotherWasFirst);
      if (databaseServer) return databaseServer;
      continue;
    }
    const url = await runningClusterUrl(folder, holder);
    if (url !== null) return { url, embedded: true, ended: untilReleased(folder, holder), release: async () => {} };
    if (Date.now() > end) throw new DataDirInUse(holder, folder);
    await sleep(100);
  }
}

/**
 * Brings the schema up to date; several processes may do so at once. With MIGRATE_ON_START=false only makes sure that it
 * is: a server never works on a schema that it does not know, and says at once what is to be done.
 * @throws StartError when the database cannot be reached, or lacks migrations and may not be given them
 */
export async function migrateOnStart(databaseServer: DatabaseServer, config: Config, report = silent): Promise<void> {
  const pending = await missingMigrations(databaseServer.url);
  if (!config.MIGRATE_ON_START) {
    if (pending.length === 0) return;
    throw new StartError(
      `MIGRATE_ON_START is false, and the database lacks ${pending.length} of its migrations. Run "npm run db:migrate" first.`,
    );
  }
  if (pending.length > 0) report(pending.length === 1 ? 'applying a migration' : `applying ${pending.length} migrations`);
  // Also when none is missing: a restored database has them all, and its logs are put in order here.
  await migrate(databaseServer.url);
}

async function missingMigrations(url: string): Promise<string[]> {
  const client = new pg.Client(connectionOptions(url, 10_000));
  // A connection that is lost between two queries is told by the next one.
  client.on('error', () => {});
  try {
    await client.connect().catch((error: unknown) => {
      throw new StartError(`DATABASE_URL: the database cannot be reached (${reasonOf(error)}).`);
    });
    return await pendingMigrations(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Of several addresses that were tried in vain, Node tells only codes. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}

/** The real path, so that one folder reached over two links is one folder. */
async function usableFolder(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(dataDir);
  } catch (error) {
    throw new StartError(`DATA_DIR: the folder cannot be used (${reasonOf(error)}).`);
  }
}

function anotherWasFirst(error: unknown): null {
  if (error instanceof DataDirInUse) return null;
  throw error;
}

async function untilReleased(folder: string, holder: number): Promise<void> {
  while ((await lockHolder(folder).catch(() => null)) === holder) await sleep(1_000, undefined, { ref: false });
}

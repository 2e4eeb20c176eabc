import { access, constants, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseConfig } from '../config/config.ts';
import { makeFolder } from '../config/make-folder.ts';
import { StartError } from '../config/start-errors.ts';
import type { DatabaseUrls } from './connections/runtime-role.ts';
import { runningClusterUrls, startCluster } from './embedded/cluster.ts';
import { acquireLock, DataDirInUse, lockHolder } from './embedded/lock.ts';

export interface DatabaseServer extends DatabaseUrls {
  embedded: boolean;
  /** Resolves when an embedded database ends by itself, or the server that runs it. */
  ended: Promise<void>;
  release(): Promise<void>;
}

/** Shows a person which step of a start is under way, as a participle: "applying 6 migrations". */
export type ReportProgress = (step: string) => void;

const never = new Promise<void>(() => {});
/** Time limit for another process to start the database that this one waits for. */
const START_WITHIN_MS = 60_000;

/** A file in DATA_DIR for as long as a restore into it is not finished. */
export const RESTORE_MARK = 'restore.unfinished';

/**
 * The server's database: that of DATABASE_URL, else the embedded one in DATA_DIR, which this process then runs exclusively.
 * @throws DataDirInUse when another server runs on DATA_DIR
 */
export async function acquireDatabaseServer(config: DatabaseConfig, report: ReportProgress = () => {}): Promise<DatabaseServer> {
  const { DATABASE_URL: url, DATABASE_OWNER_URL: ownerUrl, DATABASE_DIRECT_URL: directUrl } = config;
  if (url) return { url, directUrl, ownerUrl: ownerUrl ?? directUrl ?? url, embedded: false, ended: never, release: async () => {} };
  const folder = await usableFolder(config.DATA_DIR);
  if (await stat(join(folder, RESTORE_MARK)).catch(() => null))
    throw new StartError('DATA_DIR: a restore into this folder is incomplete. Run it again: npm run admin -- backup restore');
  return acquireEmbedded(folder, report);
}

/** The embedded database of a folder, which this process then runs exclusively. @throws DataDirInUse */
export async function acquireEmbedded(folder: string, report: ReportProgress): Promise<DatabaseServer> {
  const unlock = await acquireLock(folder);
  try {
    const cluster = await startCluster({ folder, report });
    const release = async () => {
      await cluster.stop();
      await unlock();
    };
    return { url: cluster.url, ownerUrl: cluster.ownerUrl, embedded: true, disk: folder, ended: cluster.ended, release };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** For commands and workers: the database of a running server, or without one the same database for as long as this process runs. */
export async function attachDatabaseServer(config: DatabaseConfig): Promise<DatabaseServer> {
  if (config.DATABASE_URL) return acquireDatabaseServer(config);
  const folder = await usableFolder(config.DATA_DIR);
  const end = performance.now() + START_WITHIN_MS;
  for (;;) {
    const holder = await lockHolder(folder);
    if (holder === null) {
      const databaseServer = await acquireDatabaseServer(config).catch(nullIfInUse);
      if (databaseServer) return databaseServer;
      continue;
    }
    const urls = await runningClusterUrls(folder, holder);
    if (urls !== null) return { ...urls, embedded: true, disk: folder, ended: untilReleased(folder, holder), release: async () => {} };
    if (performance.now() > end) throw new DataDirInUse(holder, folder);
    await sleep(100);
  }
}

/**
 * Makes the folder where it is missing.
 * @returns its real path, so that one folder reached over two links is one folder
 * @throws StartError when this process cannot read and write there
 */
export async function usableFolder(dataDir: string): Promise<string> {
  makeFolder(dataDir);
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(dataDir);
  } catch (error) {
    throw new StartError(`DATA_DIR: the folder cannot be used (${error instanceof Error ? error.message : error}).`);
  }
}

function nullIfInUse(error: unknown): null {
  if (error instanceof DataDirInUse) return null;
  throw error;
}

async function untilReleased(folder: string, holder: number): Promise<void> {
  while ((await lockHolder(folder).catch(() => null)) === holder) await sleep(1_000, undefined, { ref: false });
}

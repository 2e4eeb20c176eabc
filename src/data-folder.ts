import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { runningClusterUrl, startCluster } from './embedded/cluster.ts';
import { acquireLock, DataDirInUse, lockHolder } from './embedded/lock.ts';

/** The database that this process works on, and how to leave it. */
export interface DatabaseSite {
  url: string;
  embedded: boolean;
  /** Resolves when an embedded database ends by itself. */
  ended: Promise<void>;
  leave(): Promise<void>;
}

const lockFile = (dataDir: string) => join(dataDir, 'server.lock');
const never = new Promise<void>(() => {});

/**
 * The server's database: DATABASE_URL, else the embedded one in DATA_DIR, which this process then runs and nobody else.
 * @throws DataDirInUse when another server runs on DATA_DIR
 */
export async function openSite(config: Config): Promise<DatabaseSite> {
  if (config.DATABASE_URL) return { url: config.DATABASE_URL, embedded: false, ended: never, leave: async () => {} };
  await mkdir(config.DATA_DIR, { recursive: true });
  const unlock = await acquireLock(lockFile(config.DATA_DIR));
  try {
    const cluster = await startCluster({ folder: config.DATA_DIR });
    const leave = async () => {
      await cluster.stop();
      await unlock();
    };
    return { url: cluster.url, embedded: true, ended: cluster.ended, leave };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** For commands and further workers: the same database as the server, beside it if it runs, else for as long as this runs. */
export async function joinSite(config: Config): Promise<DatabaseSite> {
  if (!config.DATABASE_URL && (await lockHolder(lockFile(config.DATA_DIR))) !== null) {
    return { url: await runningClusterUrl(config.DATA_DIR), embedded: true, ended: never, leave: async () => {} };
  }
  return openSite(config);
}

export { DataDirInUse };

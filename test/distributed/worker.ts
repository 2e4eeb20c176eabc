import type { TestApp } from '../support/app.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

/** A worker as a process of its own, on the database of a test. @param folder its DATA_DIR */
export function startWorker({ config }: TestApp, folder: string, env: Record<string, string> = {}): ServerProcess {
  const masterKeys = config.MASTER_KEYS.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',');
  const { DATABASE_URL = '', DATABASE_DIRECT_URL } = config;
  const direct = DATABASE_DIRECT_URL ? { DATABASE_DIRECT_URL } : {};
  const own = { ...direct, DATABASE_URL, MASTER_KEYS: masterKeys, MIGRATE_ON_START: 'false', LOG_LEVEL: 'info' };
  return startServer(folder, { ...own, ...env }, { command: [process.execPath, 'scripts/worker.mjs'] });
}

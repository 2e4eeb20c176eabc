import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createBackupKeys, openManifest, parseManifest, writeManifest } from '../../src/backup/manifest.ts';
import { readBackupOwner } from '../../src/backup/places/backup-place.ts';
import type { Config } from '../../src/config/config.ts';
import { runSql } from './database-roles.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/** `npm run admin -- …` as a process of its own, which can be killed. */
export const startCommand = (dataDir: string, argv: readonly string[], env: Record<string, string> = {}): ServerProcess =>
  startServer(dataDir, { TRIPTYCH_OPERATOR: 'tester', ...env }, { command: [process.execPath, 'scripts/admin.mjs', ...argv] });

/** Runs it to its end. */
export const runCommand = (...command: Parameters<typeof startCommand>) => startCommand(...command).exited;

/** Patients enough that a backup of them takes some seconds, and some megabytes. @param ownerUrl a database of one organization at least */
export const fillWithPatients = (ownerUrl: string): Promise<unknown> =>
  runSql(
    ownerUrl,
    `INSERT INTO patient (organization_id, first_name, last_name, updated_at)
     SELECT (SELECT min(id) FROM organization), 'F' || md5(n::text), 'L' || md5((-n)::text), now() FROM generate_series(1, 30000) AS n`,
  );

/** Ids of the backups in a folder, the oldest first: those with a manifest, and those without. */
export async function backupsIn(place: string): Promise<{ whole: string[]; unfinished: string[] }> {
  const [whole, unfinished]: [string[], string[]] = [[], []];
  for (const id of (await readdir(place).catch(() => [])).sort()) {
    const names = await readdir(join(place, id));
    (names.includes('manifest.json') ? whole : unfinished).push(id);
  }
  return { whole, unfinished };
}

/** Makes a backup of so many hours ago of one. */
export async function makeOlder(place: string, id: string, hours: number, config: Config): Promise<void> {
  const [path, keys] = [join(place, id, 'manifest.json'), createBackupKeys(config)];
  const manifest = openManifest(parseManifest(await readFile(path, 'utf8')), keys);
  const at = new Date(Date.now() - hours * 3_600_000).toISOString();
  const older = `${at.replaceAll(/[-:.]/g, '')}-${readBackupOwner(id)}`;
  await writeFile(path, writeManifest({ ...manifest, id: older, at }, keys));
  await rename(join(place, id), join(place, older));
}

/** A caller that asks again and again. */
export interface Caller {
  /** Every status that was answered; 0 where there was no answer. */
  statuses: Set<number>;
  stop(): Promise<void>;
}

export function startAsking(ask: () => Promise<{ status: number }>): Caller {
  const statuses = new Set<number>();
  let asks = true;
  const loop = (async () => {
    while (asks) {
      const { status } = await ask().catch(() => ({ status: 0 }));
      statuses.add(status);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return {
    statuses,
    stop: async () => {
      asks = false;
      await loop;
    },
  };
}

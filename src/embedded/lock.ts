import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { processIdentity } from './processes.ts';

interface Holder {
  pid: number;
  identity: string | null;
}

/** Another living process holds the data folder. */
export class DataDirInUse extends Error {}

/**
 * One server a data folder. The lock names its process and when that started, so a killed holder, or another
 * process with the same number later, is told from a living one.
 * @throws DataDirInUse
 * @returns how to let it go
 */
export async function acquireLock(file: string): Promise<() => Promise<void>> {
  const mine = `${file}.${randomUUID()}`;
  await writeFile(mine, JSON.stringify({ pid: process.pid, identity: await processIdentity(process.pid) } satisfies Holder), { mode: 0o644 });
  try {
    for (;;) {
      // A hard link appears whole or not at all, and only where there is none.
      const taken = await link(mine, file).then(() => true, (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        return false;
      });
      if (taken) return () => rm(file, { force: true });
      const holder = await lockHolder(file);
      if (holder !== null) throw new DataDirInUse(`process ${holder} already uses it`);
      // Stale: take it out of the way under a name of its own, so that two starters never remove each other's lock.
      const stale = `${file}.${randomUUID()}`;
      await rename(file, stale).catch(() => {});
      if ((await lockHolder(stale)) !== null) await link(stale, file).catch(() => {});
      await rm(stale, { force: true });
    }
  } finally {
    await rm(mine, { force: true });
  }
}

/** The process that holds the lock, or null where none does. */
export async function lockHolder(file: string): Promise<number | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const { pid, identity }: Holder = JSON.parse(text);
    return identity !== null && (await processIdentity(pid)) === identity ? pid : null;
  } catch {
    return null;
  }
}

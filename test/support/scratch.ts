import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exists } from '../../src/database/embedded/processes.ts';

/** Linux keeps what lies here in memory. */
const IN_MEMORY = '/dev/shm';
/** The databases of all test files together, and as much again. */
const ENOUGH_BYTES = 8 * 1024 ** 3;
const NAME = 'triptych-test-';

/**
 * A new folder for what a run throws away: in memory where there is plenty, else where temporary files go. A database is a
 * thousand files, and to make those on a disk costs ten times what it costs in memory.
 */
export async function scratchFolder(): Promise<string> {
  const memory = await statfs(IN_MEMORY).catch(() => null);
  const parent = memory && memory.bavail * memory.bsize >= ENOUGH_BYTES ? IN_MEMORY : tmpdir();
  if (parent === IN_MEMORY) await removeLeftovers();
  return mkdtemp(join(parent, `${NAME}${process.pid}-`));
}

/** Removes the folder of a process that has just ended: the database that it ran may still write its last file. */
export const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });

/** Of runs that were killed: memory is dear. */
async function removeLeftovers(): Promise<void> {
  for (const name of (await readdir(IN_MEMORY)).filter((entry) => entry.startsWith(NAME))) {
    const pid = Number(name.slice(NAME.length).split('-', 1)[0]);
    if (pid > 0 && !exists(pid)) await rm(join(IN_MEMORY, name), { recursive: true, force: true }).catch(() => {});
  }
}

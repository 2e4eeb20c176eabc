import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../../config/start-errors.ts';
import { processIdentity } from './processes.ts';

interface Holder {
  pid: number;
  identity: string | null;
}

export class DataDirInUse extends StartError {
  constructor(holder: number, folder: string) {
    super(`DATA_DIR is in use: process ${holder} runs on ${folder}. Stop it first, or set DATA_DIR to another folder.`);
  }
}

const NAME = 'server.lock';
const NUMBERED = /^server\.lock\.(\d+)$/;
const TEMPORARY = /^server\.lock\.making-(\d+)-/;

/**
 * Allows one server per data folder. The lock is the file `server.lock.N` with the highest N, if the process that it names is
 * running; its start time distinguishes it from a later process with the same number. The lock of a dead process is never
 * deleted but superseded: creating the next number is atomic, so exactly one of any number of starting processes succeeds.
 * @throws DataDirInUse
 * @returns a function that releases the lock
 */
export async function acquireLock(folder: string): Promise<() => Promise<void>> {
  const mine = join(folder, `${NAME}.making-${process.pid}-${randomUUID()}`);
  await writeHolder(mine, { pid: process.pid, identity: await processIdentity(process.pid) });
  try {
    for (;;) {
      const newest = await newestLock(folder);
      if (newest.holder !== null) throw new DataDirInUse(newest.holder, folder);
      const number = newest.number + 1;
      const file = join(folder, `${NAME}.${number}`);
      if (!(await linkOnce(mine, file))) continue;
      // The number may have been free because a later holder had deleted it; the later lock then counts.
      if ((await newestLock(folder)).number === number) {
        await clearOlder(folder, number);
        return () => release(mine, file);
      }
      await rm(file, { force: true });
    }
  } finally {
    await rm(mine, { force: true });
  }
}

/** The process that holds the lock of a folder, or null where none does. */
export async function lockHolder(folder: string): Promise<number | null> {
  return (await newestLock(folder)).holder;
}

async function newestLock(folder: string): Promise<{ number: number; holder: number | null }> {
  for (;;) {
    const number = Math.max(0, ...(await readdir(folder)).map((name) => Number(NUMBERED.exec(name)?.[1] ?? 0)));
    if (number === 0) return { number, holder: null };
    const text = await readFile(join(folder, `${NAME}.${number}`), 'utf8').catch(() => null);
    // Deleted since the folder was listed, so there is a newer one.
    if (text !== null) return { number, holder: await livingHolder(text) };
  }
}

async function livingHolder(text: string): Promise<number | null> {
  try {
    const { pid, identity }: Holder = JSON.parse(text);
    return identity !== null && (await processIdentity(pid)) === identity ? pid : null;
  } catch {
    return null;
  }
}

/** Creating a hard link is atomic and fails where the name exists. */
function linkOnce(from: string, to: string): Promise<boolean> {
  return link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      return false;
    },
  );
}

/** Deletes the locks before this one, and the temporary files of processes that were killed. */
async function clearOlder(folder: string, number: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const older = Number(NUMBERED.exec(name)?.[1] ?? number) < number;
    const creator = TEMPORARY.exec(name)?.[1];
    if (older || (creator && (await processIdentity(Number(creator))) === null)) await rm(join(folder, name), { force: true });
  }
}

/** Keeps the number, with no process in it. */
async function release(temporary: string, file: string): Promise<void> {
  await writeHolder(temporary, { pid: 0, identity: null });
  await rename(temporary, file);
}

function writeHolder(file: string, holder: Holder): Promise<void> {
  return writeFile(file, JSON.stringify(holder), { mode: 0o644 });
}

import { readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder } from '../config/make-folder.ts';
import { acquireEmbedded, type DatabaseServer, RESTORE_MARK } from '../database/data-folder.ts';
import { DataDirInUse, lockHolder } from '../database/embedded/lock.ts';
import { Failure } from '../domain/errors.ts';

/** The generated master keys, which an operator puts into the folder before. */
export const SECRETS = 'secrets.json';

/**
 * Makes an embedded database in a folder that is empty, has nothing but the master keys, or has what a restore left that was cut
 * off. Until `finish` is called no server starts on it.
 * @throws Failure where it is not empty
 */
export async function beginFolder(path: string, report: (step: string) => void): Promise<DatabaseServer & { finish(): Promise<void> }> {
  makeFolder(resolve(path), 'The folder of the restore', 0o700);
  const folder = await realpath(path);
  const holder = await lockHolder(folder);
  if (holder !== null) throw new DataDirInUse(holder, folder);
  const found = (await readdir(folder)).filter((name) => name !== SECRETS);
  if (found.length > 0 && !found.includes(RESTORE_MARK))
    throw new Failure('conflict', 'not_empty', `The folder is not empty: ${path}. Name an empty or a new folder.`);
  // The database of a restore that was killed may still be ending, and write there meanwhile.
  const removed = { recursive: true, force: true, maxRetries: 20, retryDelay: 250 };
  for (const name of found.filter((one) => one !== RESTORE_MARK)) await rm(join(folder, name), removed);
  await writeFile(join(folder, RESTORE_MARK), '', { flush: true });
  const server = await acquireEmbedded(folder, report);
  return { ...server, finish: () => rm(join(folder, RESTORE_MARK)) };
}

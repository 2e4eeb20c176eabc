import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../../config/config.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { startSupervised } from './supervised.ts';

/** The superuser of an embedded database; its password is in `database.password`. */
export const USER = 'triptych';

export const passwordFile = (folder: string): string => join(folder, 'database.password');

const MAKING = 'database.making-';

/**
 * Makes the database files of a folder where there are none yet. They are made beside and renamed when whole, so that a
 * start killed in the middle leaves nothing half made behind.
 */
export async function initialize(binaries: Binaries, folder: string, data: string, account: Account | null): Promise<void> {
  // A name of its own: what a killed start began may still be writing into the folder that it made.
  const making = join(folder, `${MAKING}${randomBytes(6).toString('hex')}`);
  await mkdir(making, { mode: 0o700 });
  await rm(passwordFile(folder), { force: true });
  await writeFile(passwordFile(folder), randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx', flush: true });
  if (account) {
    await chown(making, account.uid, account.gid);
    await chown(passwordFile(folder), account.uid, account.gid);
  }
  const initdb = await startSupervised(
    account,
    [binaries.initdb, making],
    [
      binaries.initdb,
      `--pgdata=${making}`,
      `--username=${USER}`,
      `--pwfile=${passwordFile(folder)}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
    ],
  );
  if ((await initdb.ended) !== 0) {
    await rm(making, { recursive: true, force: true });
    throw new StartError(`The embedded database could not be made: initdb failed: ${await initdb.complaint()}`);
  }
  await rename(making, data);
  await removeUnfinished(folder);
}

export async function isInitialized(data: string): Promise<boolean> {
  return (await stat(join(data, 'PG_VERSION')).catch(() => null)) !== null;
}

async function removeUnfinished(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(MAKING));
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true, maxRetries: 10 });
}

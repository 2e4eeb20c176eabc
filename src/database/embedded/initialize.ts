import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { StartError } from '../../config/start-errors.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { diskFull } from './disk-full.ts';
import { writePrivately } from './private-file.ts';
import { type Passwords, SUPERUSER } from './roles.ts';
import { startSupervised } from './supervised.ts';

const passwordsFile = (folder: string): string => join(folder, 'database.passwords.json');

/** Prefix of everything that an unfinished initialization may leave behind. */
const TEMPORARY = 'database.making-';

/**
 * Creates the database files of a folder, and the passwords of its roles. The files are created beside and renamed once they
 * are complete, so that a start killed in the middle leaves nothing half-finished behind.
 */
export async function initialize(binaries: Binaries, folder: string, data: string, account: Account | null): Promise<void> {
  // A unique name: the initdb of a start that was killed may still be writing into its own folder.
  const temporary = join(folder, `${TEMPORARY}${randomBytes(6).toString('hex')}`);
  await mkdir(temporary, { mode: 0o700 });
  const passwords: Passwords = { superuser: newPassword(), owner: newPassword(), runtime: newPassword() };
  await writePrivately(passwordsFile(folder), `${JSON.stringify(passwords)}\n`);
  // initdb reads the superuser's from a file of its own, as the account that it runs under.
  const passwordFile = `${temporary}.password`;
  await writeFile(passwordFile, passwords.superuser, { mode: 0o600, flag: 'wx' });
  if (account) {
    await chown(temporary, account.uid, account.gid);
    await chown(passwordFile, account.uid, account.gid);
  }
  const initdb = await startSupervised(
    account,
    [binaries.initdb, temporary],
    [
      binaries.initdb,
      `--pgdata=${temporary}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
    ],
  );
  const code = await initdb.ended;
  await rm(passwordFile, { force: true });
  if (code !== 0) {
    await rm(temporary, { recursive: true, force: true });
    throw toRefusal(folder, await initdb.stderr());
  }
  await rename(temporary, data);
  await removeUnfinished(folder);
}

/** @param reason what initdb printed */
function toRefusal(folder: string, reason: string): Error {
  // Of a write that only begins to fit, PostgreSQL gives the hint alone.
  if (/No space left on device|Check free disk space/.test(reason)) return diskFull(folder);
  const [, uid] = /could not look up effective user ID (\d+)/.exec(reason) ?? [];
  return new StartError(
    uid === undefined
      ? `The embedded database could not be created: initdb failed: ${reason}`
      : `The embedded database needs a user with an account, and the user id ${uid} has none on this system. Start as another user, or set DATABASE_URL.`,
  );
}

const newPassword = (): string => randomBytes(24).toString('base64url');

const storedPasswords = z.object({ superuser: z.string(), owner: z.string(), runtime: z.string() });

/** @throws StartError when the file is missing, as beside a database of a version that had a superuser alone, or unreadable */
export async function readPasswords(folder: string): Promise<Passwords> {
  const file = passwordsFile(folder);
  try {
    await chmod(file, 0o600).catch(() => {});
    return storedPasswords.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.message : 'it lacks the password of a role';
    throw new StartError(
      `DATA_DIR: the passwords of the embedded database cannot be read (${reason}). If an earlier version made the database, move ${folder} away and start again.`,
    );
  }
}

export async function isInitialized(data: string): Promise<boolean> {
  return (await stat(join(data, 'PG_VERSION')).catch(() => null)) !== null;
}

async function removeUnfinished(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(TEMPORARY));
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true, maxRetries: 10 });
}

import { execFile } from 'node:child_process';
import { access, constants, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '../../config/start-errors.ts';

const run = promisify(execFile);

/** Account for PostgreSQL when the server is started by root, since PostgreSQL refuses to run as root. */
export interface Account {
  uid: number;
  gid: number;
}

/**
 * Null for an ordinary user: the database then runs as that user. For root: the owner of an existing data folder,
 * else `postgres`, else `nobody`. No account is ever created.
 */
export async function databaseAccount(databaseFolder: string): Promise<Account | null> {
  if (process.getuid?.() !== 0) return null;
  const owner = await stat(databaseFolder).catch(() => null);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const found = accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody');
  if (!found)
    throw new StartError(
      'PostgreSQL does not run as root, and there is neither an account "postgres" nor "nobody". Start as another user, or set DATABASE_URL.',
    );
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

/**
 * The command line and spawn options that run a command as the account. Where the account has no access to a folder above the
 * program or the data (a clone under /root, say), `setpriv` grants one capability; elsewhere only the user is changed.
 */
export async function commandAs(
  account: Account | null,
  paths: string[],
  command: string[],
): Promise<{ command: string[]; spawn: { uid?: number; gid?: number } }> {
  if (!account) return { command, spawn: {} };
  const open = await Promise.all(paths.map((path) => isReachable(dirname(path), account)));
  if (open.every(Boolean)) return { command, spawn: account };
  const setpriv = await findExecutable('setpriv');
  if (!setpriv)
    throw new StartError(
      'The account of the database cannot reach this folder. Move the project out of a private folder, start as another user, or set DATABASE_URL.',
    );
  const ids = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'];
  return { command: [setpriv, ...ids, '--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--', ...command], spawn: {} };
}

async function isReachable(folder: string, { uid, gid }: Account): Promise<boolean> {
  const { mode, uid: owner, gid: group } = await stat(folder);
  const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
  if ((mode & bit) === 0) return false;
  return folder === '/' || isReachable(dirname(folder), { uid, gid });
}

async function findExecutable(name: string): Promise<string | null> {
  for (const folder of ['/usr/bin', '/bin', '/usr/local/bin', '/sbin', '/usr/sbin']) {
    const path = `${folder}/${name}`;
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  const { stdout } = await run('sh', ['-c', `command -v ${name}`]).catch(() => ({ stdout: '' }));
  return stdout.trim() || null;
}

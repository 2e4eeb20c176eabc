import { execFile } from 'node:child_process';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { migrationNames } from '../../src/database/migrations/migrations.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
const git = async (...args: string[]) => (await run('git', args, { cwd: PROJECT, maxBuffer: 1e8 })).stdout.trim();

/** The newest migration of the version from which the upgrade begins: the one before the newest, or the one that is named. */
const newestOfEarlier = async (): Promise<string> => process.env.UPGRADE_FROM ?? (await migrationNames()).at(-2) ?? '';

/** The migrations that the earlier version has; none while the baseline is the only one. */
export async function earlierMigrations(): Promise<string[]> {
  const newest = await newestOfEarlier();
  return (await migrationNames()).filter((name) => name <= newest);
}

/**
 * Unpacks the program of the earlier version: the last commit with that version's newest migration. Its dependencies are this version's.
 * @returns its commit
 * @throws Error in a clone without that commit
 */
export async function unpackEarlier(folder: string): Promise<string> {
  const commit = await earlierCommit(await newestOfEarlier());
  await mkdir(folder, { recursive: true });
  const packed = `${folder}.tar`;
  await git('archive', '--output', packed, commit);
  await run('tar', ['-xf', packed, '-C', folder]);
  await rm(packed);
  await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  return commit;
}

async function earlierCommit(newest: string): Promise<string> {
  // From the newest commit back; the one before the first with a later migration has those of the earlier version.
  let later = 'HEAD';
  for (const commit of (await git('rev-list', 'HEAD', '--', 'prisma/migrations')).split('\n').filter(Boolean)) {
    const folders = (await git('ls-tree', '--name-only', commit, 'prisma/migrations/'))
      .split('\n')
      .map((path) => path.slice('prisma/migrations/'.length));
    const last =
      folders
        .filter((name) => /^\d/.test(name))
        .toSorted()
        .at(-1) ?? '';
    if (last === newest) return later === 'HEAD' ? commit : git('rev-parse', `${later}~1`);
    later = commit;
  }
  throw new Error(`no commit of this clone has ${newest} as its newest migration: fetch the whole history`);
}

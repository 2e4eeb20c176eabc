import { spawnSync } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder of the generators, which are no part of the server. */
export const FOLDER = join(import.meta.dirname, 'generators');
export const MODULES = join(FOLDER, 'node_modules');

/** Installs the generators from the registry, where they are missing or older than the lock file. */
export async function installGenerators(): Promise<void> {
  const [locked, installed] = await Promise.all(
    [join(FOLDER, 'package-lock.json'), join(MODULES, '.package-lock.json')].map((file) => stat(file).catch(() => null)),
  );
  if (installed && locked && installed.mtimeMs >= locked.mtimeMs) return;
  const npm = spawnSync('npm', ['ci', '--prefix', FOLDER, '--ignore-scripts', '--no-fund', '--no-audit'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) throw new Error(`npm ended with ${npm.status}`);
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER = import.meta.dirname;
/** npm writes this file at the end of an installation. */
const INSTALLED = join(FOLDER, 'node_modules', '.package-lock.json');

/** Installs the peers out of the registry, where they are missing or older than the lock file. */
export async function installPeers(print: (line: string) => void): Promise<void> {
  const [locked, installed] = await Promise.all([changedAt(join(FOLDER, 'package-lock.json')), changedAt(INSTALLED)]);
  if (installed >= locked) return;
  print('installing the peers, with npm ci --prefix bench/peers --ignore-scripts; --without-peers does without');
  const npm = spawn('npm', ['ci', '--prefix', FOLDER, '--ignore-scripts', '--no-fund', '--no-audit'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  const [code] = await once(npm, 'exit');
  if (code !== 0) throw new Error(`npm ended with ${code}`);
}

const changedAt = (file: string) =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

/**
 * Fails when test/contract/not-built.txt names an operation that it did not name before: in HEAD, for work that is not
 * committed yet, and in the commit before HEAD. Without git, or without a past, there is nothing to hold it against.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILE = 'test/contract/not-built.txt';
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const lines = (text) => text.split('\n').filter(Boolean);
const now = lines(readFileSync(join(root, FILE), 'utf8'));

for (const commit of ['HEAD', 'HEAD~']) {
  const past = spawnSync('git', ['show', `${commit}:./${FILE}`], { cwd: root, encoding: 'utf8' });
  if (past.status !== 0) continue;
  const before = new Set(lines(past.stdout));
  const added = now.filter((line) => !before.has(line));
  if (added.length > 0) {
    console.error(`${FILE} may only shrink. Not in it at ${commit}:\n${added.join('\n')}`);
    process.exit(1);
  }
}

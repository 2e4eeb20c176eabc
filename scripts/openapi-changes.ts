/**
 * Compares `openapi/` with the documents of the last release (the newest tag `v…`, or `--against <commit>`) and says what would break whom:
 * `npx node scripts/openapi-changes.ts`. Fails where something would, unless the operation was deprecated in that release.
 */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { breakingChanges } from './breaking-changes.ts';

const ROOT = join(import.meta.dirname, '..');
const NAMES = ['integration', 'practice', 'mobile', 'platform'];

const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

const { values } = parseArgs({ options: { against: { type: 'string' } } });
const release = values.against ?? git('tag', '--list', 'v*', '--sort=-version:refname').split('\n')[0];
if (!release) console.log('There is no release yet to compare with.');
else {
  const broken = await Promise.all(
    NAMES.map(async (name) => {
      const before: unknown = JSON.parse(git('show', `${release}:openapi/${name}.json`));
      const now: unknown = JSON.parse(await readFile(join(ROOT, 'openapi', `${name}.json`), 'utf8'));
      return breakingChanges(before, now).map((change) => `${name}: ${change}`);
    }),
  );
  for (const line of broken.flat()) console.log(line);
  console.log(`${broken.flat().length} changes since ${release} break clients.`);
  if (broken.flat().length > 0) process.exitCode = 1;
}

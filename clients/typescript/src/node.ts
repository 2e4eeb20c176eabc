import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Store } from './stores.ts';

/** Keeps tokens or a cursor in a file that only its owner reads. It is replaced as a whole, so a crash leaves the old or the new one. */
export function fileStore(path: string): Store {
  return {
    get: () => readFile(path, 'utf8').catch(absent),
    async set(value) {
      if (value === null) return rm(path, { force: true });
      await mkdir(dirname(path), { recursive: true });
      await writeFile(`${path}.new`, value, { mode: 0o600 });
      await rename(`${path}.new`, path);
    },
  };
}

function absent(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}

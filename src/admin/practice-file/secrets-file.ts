import { open, rm } from 'node:fs/promises';
import { Failure } from '../../domain/errors.ts';
import type { Done } from '../../practice-file/apply.ts';

/** A new file for secrets, which only its owner may read. */
export interface SecretsFile {
  readonly path: string;
  readonly isUsed: boolean;
  add(file: string, done: readonly Done[]): Promise<void>;
  /** Removes it where no secret came. */
  close(): Promise<void>;
}

/** @throws Failure for a file that is there already, or cannot be made */
export async function openSecretsFile(path: string): Promise<SecretsFile> {
  const handle = await open(path, 'wx', 0o600).catch((error: unknown) => {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new Failure(
      'invalid',
      'invalid_file',
      `secrets-to: ${path} ${isThere ? 'exists already. Name a new file' : 'cannot be written'}.`,
    );
  });
  let isUsed = false;
  return {
    path,
    get isUsed() {
      return isUsed;
    },
    async add(file, done) {
      const lines = done.flatMap(({ step, secret }) => (secret === null ? [] : [`${file}: ${step.kind} "${step.name}": ${secret}\n`]));
      if (lines.length === 0) return;
      isUsed = true;
      await handle.appendFile(lines.join(''));
      await handle.sync();
    },
    async close() {
      await handle.close();
      if (!isUsed) await rm(path, { force: true });
    },
  };
}

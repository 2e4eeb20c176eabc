import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/config/make-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triptych-folder-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the folder of DATA_DIR', () => {
  it('is made with those above it, and left as it is where it exists', async () => {
    const path = join(folder, 'a', 'b', 'c');
    makeFolder(path);
    makeFolder(path);
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it('is no file, and not below one', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    expect(() => makeFolder(file)).toThrow(`DATA_DIR: ${file} is not a folder.`);
    expect(() => makeFolder(join(file, 'a', 'b'))).toThrow(`DATA_DIR: ${join(file, 'a', 'b')} is not a folder.`);
  });

  it.skipIf(process.platform !== 'linux')('is refused in one sentence where the system makes none', () => {
    expect(() => makeFolder('/proc/nope/below')).toThrow(
      /^DATA_DIR: the folder \/proc\/nope\/below cannot be created \(ENOENT: .*\/proc\/nope'\)\.$/,
    );
  });
});

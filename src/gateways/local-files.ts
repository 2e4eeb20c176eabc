import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { giveToFolderOwner } from '../database/embedded/private-file.ts';
import { FileMissing, type Files } from './files.ts';

/** Files in a folder that only its owner can read. What was written is safe on the disk; a key never names half a file. */
export function createLocalFiles(folder: string): Files {
  const placeOf = (key: string) => {
    // Keys are our own; this says so once more, where a slip would leave the folder.
    if (!/^[a-z0-9-]+\/[a-z0-9-]+$/.test(key)) throw new Error('This is no key of a file.');
    return join(folder, key);
  };
  return {
    name: 'local',
    async write(key, content) {
      const place = placeOf(key);
      const making = makingOf(place);
      try {
        await makeFolders(folder, dirname(place));
        await pipeline(content, createWriteStream(making, { flags: 'wx', mode: 0o600, flush: true }));
        await giveToFolderOwner(making, folder);
        await rename(making, place);
        await flushFolder(dirname(place));
      } catch (error) {
        content.destroy();
        await rm(making, { force: true });
        throw error;
      }
    },
    async read(key, range) {
      const file = await open(placeOf(key)).catch((error: unknown) => {
        throw isMissing(error) ? new FileMissing('There is no file of this key.', { cause: error }) : error;
      });
      return file.createReadStream(range);
    },
    async remove(key) {
      const place = placeOf(key);
      await rm(makingOf(place), { force: true });
      await rm(place, { force: true });
    },
  };
}

/** Nothing else writes under this name: each key is written once. */
const makingOf = (place: string): string => `${place}.making`;

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

async function makeFolders(...folders: string[]): Promise<void> {
  for (const folder of folders) {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (made !== undefined) await giveToFolderOwner(folder, dirname(folder));
  }
}

/** The new name itself is on the disk only then. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

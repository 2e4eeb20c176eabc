import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The files of an archive in a folder. */
export async function listFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return names
    .filter((name) => name.isFile())
    .map((file) => join(file.parentPath, file.name))
    .sort();
}

/** The lines of a part. */
export const readLines = async (path: string): Promise<string[]> =>
  gunzipSync(await readFile(path))
    .toString()
    .trimEnd()
    .split('\n');

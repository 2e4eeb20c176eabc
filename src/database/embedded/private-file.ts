import { chown, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file that only its owner can read, whole or not at all, and safe on the disk when it returns. Root gives it
 * to the owner of the folder, who may start the next time.
 */
export async function writePrivately(file: string, text: string): Promise<void> {
  const making = `${file}.${process.pid}.making`;
  try {
    await rm(making, { force: true });
    await writeFile(making, text, { mode: 0o600, flag: 'wx', flush: true });
    await giveToFolderOwner(making, dirname(file));
    await rename(making, file);
  } finally {
    await rm(making, { force: true });
  }
}

export async function giveToFolderOwner(file: string, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  await chown(file, uid, gid);
}

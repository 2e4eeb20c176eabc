import { chown, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file that only its owner can read: atomically, and flushed to the disk when it returns. Root gives it to the owner of
 * the folder, who may be the one who starts the server next time.
 */
export async function writePrivately(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.making`;
  try {
    await rm(temporary, { force: true });
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
    await giveToFolderOwner(temporary, dirname(file));
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

export async function giveToFolderOwner(file: string, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  await chown(file, uid, gid);
}

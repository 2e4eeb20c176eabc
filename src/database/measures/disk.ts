import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface Disk {
  /** Bytes. */
  free: number;
  /** The free part of all, 0 to 1. */
  share: number;
}

/** The disk of a folder, which may not be made yet. */
export async function measureDisk(folder: string): Promise<Disk> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { free: bavail * bsize, share: bavail / blocks };
  } catch (error) {
    if (dirname(folder) === folder) throw error;
    return measureDisk(dirname(folder));
  }
}

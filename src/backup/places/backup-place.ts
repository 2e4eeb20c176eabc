import type { Readable } from 'node:stream';

/** A folder or bucket with any number of backups, each in a folder of its own. */
export interface BackupPlace {
  /** Folders that are named as this program names a backup, whole or not, and others that have a manifest, in the order of their names. */
  list(): Promise<string[]>;
  /** Stores a file of a backup completely or not at all. */
  write(folder: string, name: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** @returns null where there is no such file */
  read(folder: string, name: string): Promise<Readable | null>;
  /** Removes the manifest first, so that a backup whose removal was cut off does not look whole. */
  remove(folder: string): Promise<void>;
  /** Removes one file, where it is there. */
  removeFile(folder: string, name: string): Promise<void>;
}

/** The id of a backup, and the name of its folder: `20261123T221300123Z-0a1b2c3d`, the instant, and whose backup it is. */
export const BACKUP_ID = /^\d{8}T\d{9}Z-[0-9a-f]{8}$/;

export function readBackupInstant(id: string): Date {
  return new Date(id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z.*$/, '$1-$2-$3T$4:$5:$6.$7Z'));
}

export const readBackupOwner = (id: string): string | undefined => id.split('-')[1];

export const isBackupId = (name: string): boolean => BACKUP_ID.test(name);

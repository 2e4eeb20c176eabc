import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MANIFEST, unreadable } from './manifest.ts';

/** A folder or bucket with any number of backups. */
export interface BackupPlace {
  /** Ids of the backups, whole or not, the newest first. */
  list(): Promise<string[]>;
  /** Stores a file of a backup completely or not at all. */
  write(id: string, name: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** @returns null where there is no such file */
  read(id: string, name: string): Promise<Readable | null>;
  /** Removes the manifest first, so that a backup whose removal was cut off does not look whole. */
  remove(id: string): Promise<void>;
}

/** `20261123T221300123Z-0a1b2c3d`: the instant, and whose backup it is. */
const ID = /^\d{8}T\d{9}Z-[0-9a-f]{8}$/;

/** The instant of a backup. */
export function instantOf(id: string): Date {
  return new Date(id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z.*$/, '$1-$2-$3T$4:$5:$6.$7Z'));
}

export const isBackupId = (name: string): boolean => ID.test(name);

function newestFirst(names: Iterable<string>): string[] {
  return [...names].filter(isBackupId).sort().reverse();
}

/** @param target the path of a folder, which is made with the first backup */
export function createPlace(target: string): BackupPlace {
  return folderPlace(resolve(target));
}

/**
 * The backup that an operator means.
 * @param target a backup, or a place: its newest whole backup is meant
 * @throws Failure where there is none
 */
export async function findBackup(target: string): Promise<{ place: BackupPlace; id: string }> {
  const trimmed = target.replace(/\/+$/, '');
  if (isBackupId(basename(trimmed))) return { place: createPlace(dirname(trimmed)), id: basename(trimmed) };
  const place = createPlace(trimmed);
  const id = (await wholeBackups(place)).at(0);
  if (id === undefined) throw unreadable(`There is no whole backup in ${target}.`);
  return { place, id };
}

/** Ids of the backups that have their manifest, the newest first. */
export async function wholeBackups(place: BackupPlace): Promise<string[]> {
  const whole: string[] = [];
  for (const id of await place.list()) if (await isWhole(place, id)) whole.push(id);
  return whole;
}

async function isWhole(place: BackupPlace, id: string): Promise<boolean> {
  const found = await place.read(id, MANIFEST);
  found?.destroy();
  return found !== null;
}

function folderPlace(folder: string): BackupPlace {
  return {
    async list() {
      return newestFirst(await readdir(folder).catch(emptyIfMissing));
    },
    async write(id, name, content) {
      const path = join(folder, id, name);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await pipeline(content, createWriteStream(`${path}.partial`, { mode: 0o600, flush: true }));
      await rename(`${path}.partial`, path);
      await flushFolder(dirname(path));
    },
    async read(id, name) {
      const file = await open(join(folder, id, name)).catch(nullIfMissing);
      return file === null ? null : file.createReadStream({ highWaterMark: 256 * 1024 });
    },
    async remove(id) {
      await rm(join(folder, id, MANIFEST), { force: true });
      await rm(join(folder, id), { recursive: true, force: true });
    },
  };
}

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path);
  await folder.sync().finally(() => folder.close());
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

function emptyIfMissing(error: unknown): string[] {
  if (isMissing(error)) return [];
  throw error;
}

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

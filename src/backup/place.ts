import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type BucketConfig, bucketOptions, hasObjectLock } from '../gateways/s3-files.ts';
import { type BackupPlace, instantOf, isBackupId, newestFirst, ownerOf } from './backup-place.ts';
import { MANIFEST, unreadable } from './manifest.ts';
import { bucketPlace } from './s3-place.ts';

/**
 * @param target `s3://bucket/prefix`, or the path of a folder, which is made with the first backup
 * @param lockedUntil for a bucket with object lock: nobody can delete what is written before that instant
 */
export function createPlace(target: string, config: BucketConfig, lockedUntil?: Date): BackupPlace {
  const [, bucket, prefix = ''] = BUCKET.exec(target) ?? [];
  if (bucket === undefined) return folderPlace(resolve(target));
  return bucketPlace(bucket, prefix && `${prefix.replace(/\/+$/, '')}/`, config, lockedUntil);
}

const BUCKET = /^s3:\/\/([^/]+)\/?(.*)$/;

/** Whether a place is a bucket that can keep objects under lock. */
export async function canLock(target: string, config: BucketConfig): Promise<boolean> {
  const [, bucket] = BUCKET.exec(target) ?? [];
  return bucket !== undefined && (await hasObjectLock({ bucket, ...bucketOptions(config) }));
}

/**
 * The backup that an operator means.
 * @param target a backup, or a place: its newest whole backup is meant
 * @throws Failure where there is none
 */
export async function findBackup(target: string, config: BucketConfig): Promise<{ place: BackupPlace; id: string }> {
  const trimmed = target.replace(/\/+$/, '');
  if (isBackupId(basename(trimmed))) return { place: createPlace(parentOf(trimmed), config), id: basename(trimmed) };
  const place = createPlace(trimmed, config);
  const id = (await wholeBackups(place)).at(0);
  if (id === undefined) throw unreadable(`There is no whole backup in ${target}.`);
  return { place, id };
}

/** The place of a backup; `dirname` would take a slash from `s3://`. */
const parentOf = (backup: string) => (backup.includes('/') ? backup.slice(0, backup.lastIndexOf('/')) || '/' : '.');

/** Ids of the backups that have their manifest, the newest first. */
export async function wholeBackups(place: BackupPlace): Promise<string[]> {
  const whole: string[] = [];
  for (const id of await place.list()) if (await isWhole(place, id)) whole.push(id);
  return whole;
}

/**
 * The moment of the newest whole backup of one database; null where there is none.
 * @param owner mark of the database (databaseMark)
 */
export async function newestBackup(place: BackupPlace, owner: string): Promise<Date | null> {
  for (const id of await place.list()) if (ownerOf(id) === owner && (await isWhole(place, id))) return instantOf(id);
  return null;
}

/** Whether a backup has its manifest, which is written last. */
export async function isWhole(place: BackupPlace, id: string): Promise<boolean> {
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
      const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await pipeline(content, createWriteStream(`${path}.partial`, { mode: 0o600, flush: true }));
      await rename(`${path}.partial`, path);
      await flushFolder(dirname(path));
      // A new folder is there after a power cut once the one that has it is flushed too.
      if (made !== undefined) for (const changed of new Set([folder, dirname(made)])) await flushFolder(changed);
    },
    async read(id, name) {
      const file = await open(join(folder, id, name)).catch(nullIfMissing);
      return file === null ? null : file.createReadStream({ highWaterMark: 256 * 1024 });
    },
    removeFile: (id, name) => rm(join(folder, id, name), { force: true }),
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

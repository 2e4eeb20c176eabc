import { createWriteStream } from 'node:fs';
import { access, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '../../config/make-folder.ts';
import { type BucketConfig, bucketOptions } from '../../gateways/files/bucket.ts';
import { MANIFEST } from '../manifest.ts';
import { type BackupPlace, isBackupId } from './backup-place.ts';

/**
 * @param target `s3://bucket/prefix`, or the path of a folder, which is made with the first backup
 * @param lockedUntil for a bucket with object lock: nobody can delete what is written before that instant
 */
export async function createPlace(target: string, config: BucketConfig, lockedUntil?: Date): Promise<BackupPlace> {
  const [, bucket, prefix = ''] = BUCKET.exec(target) ?? [];
  if (bucket === undefined) return folderPlace(resolve(target));
  const { bucketPlace } = await import('./s3-place.ts');
  return bucketPlace(bucket, prefix && `${prefix.replace(/\/+$/, '')}/`, config, lockedUntil);
}

const BUCKET = /^s3:\/\/([^/]+)\/?(.*)$/;

/** Whether a place is a bucket that can keep objects under lock. */
export async function canLock(target: string, config: BucketConfig): Promise<boolean> {
  const [, bucket] = BUCKET.exec(target) ?? [];
  if (bucket === undefined) return false;
  const { hasObjectLock } = await import('../../gateways/files/s3-files.ts');
  return hasObjectLock({ bucket, ...bucketOptions(config) });
}

function folderPlace(place: string): BackupPlace {
  const hasManifest = (folder: string) =>
    access(join(place, folder, MANIFEST)).then(
      () => true,
      () => false,
    );
  return {
    async list() {
      const folders: string[] = [];
      for (const name of await readdir(place).catch(emptyIfMissing)) if (isBackupId(name) || (await hasManifest(name))) folders.push(name);
      return folders.sort();
    },
    async write(folder, name, content) {
      const path = join(place, folder, name);
      const made = makeFolder(dirname(path), '--to or BACKUP_TO', 0o700);
      await pipeline(content, createWriteStream(`${path}.partial`, { mode: 0o600, flush: true }));
      await rename(`${path}.partial`, path);
      await flushFolder(dirname(path));
      // A new folder is there after a power cut once the one that has it is flushed too.
      if (made !== undefined) for (const changed of new Set([place, dirname(made)])) await flushFolder(changed);
    },
    async read(folder, name) {
      const file = await open(join(place, folder, name)).catch(nullIfMissing);
      return file === null ? null : file.createReadStream({ highWaterMark: 256 * 1024 });
    },
    removeFile: (folder, name) => rm(join(place, folder, name), { force: true }),
    async remove(folder) {
      await rm(join(place, folder, MANIFEST), { force: true });
      await rm(join(place, folder), { recursive: true, force: true });
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

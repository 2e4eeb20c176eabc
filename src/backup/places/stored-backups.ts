import { basename, dirname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { BucketConfig } from '../../gateways/files/bucket.ts';
import { MANIFEST, parseManifest, type StoredManifest, unreadable } from '../manifest.ts';
import { type BackupPlace, isBackupId, readBackupOwner } from './backup-place.ts';
import { createPlace } from './place.ts';

/** A whole backup in a place. What it says of itself is certain once it was opened. */
export interface StoredBackup {
  /** Its folder in the place: its id, unless somebody named it otherwise. */
  folder: string;
  id: string;
  /** Null where it is damaged, or of a form that this program does not know. */
  manifest: StoredManifest | null;
}

/** Manifests that are read at once. */
const AT_ONCE = 8;

/** @returns null where the folder has no manifest, which is written last, or has that of something else */
async function readBackup(place: BackupPlace, folder: string): Promise<StoredBackup | null> {
  const stored = await place.read(folder, MANIFEST);
  if (stored === null) return null;
  const manifest = parseManifest(await text(stored));
  const id = manifest?.id ?? folder;
  return isBackupId(id) ? { folder, id, manifest } : null;
}

/** All whole backups in a place, newest first. */
export async function listBackups(place: BackupPlace): Promise<StoredBackup[]> {
  const folders = await place.list();
  const found: (StoredBackup | null)[] = [];
  for (let at = 0; at < folders.length; at += AT_ONCE)
    found.push(...(await Promise.all(folders.slice(at, at + AT_ONCE).map((folder) => readBackup(place, folder)))));
  return found.filter((one) => one !== null).sort((one, other) => (one.id < other.id ? 1 : -1));
}

/**
 * The newest whole backup in a place; null where there is none.
 * @param owner mark of the database (databaseMark) whose backups count; without it all do
 */
export async function newestBackup(place: BackupPlace, owner?: string): Promise<StoredBackup | null> {
  const folders = (await place.list()).reverse();
  let newest: StoredBackup | null = null;
  // An id says how old its backup is, so of the folders that have one only as many are read as it takes. Others are all read.
  for (const folder of [...folders.filter((one) => !isBackupId(one)), ...folders.filter(isBackupId)]) {
    if (newest !== null && isBackupId(folder) && folder < newest.id) return newest;
    const found = await readBackup(place, folder);
    if (found === null || (owner !== undefined && readBackupOwner(found.id) !== owner)) continue;
    if (newest === null || found.id > newest.id) newest = found;
  }
  return newest;
}

/**
 * The backup that an operator means.
 * @param target a backup, or a place: its newest whole backup is meant
 * @throws Failure where there is none
 */
export async function findBackup(target: string, config: BucketConfig): Promise<{ place: BackupPlace; backup: StoredBackup }> {
  const place = await createPlace(target, config);
  const newest = await newestBackup(place);
  if (newest !== null) return { place, backup: newest };
  const [parent, folder] = splitTarget(target);
  if (folder !== '') {
    const around = await createPlace(parent, config);
    const backup = await readBackup(around, folder);
    if (backup !== null) return { place: around, backup };
    if (await isWhole(around, folder)) throw unreadable('Its manifest was altered or belongs to something else.');
  }
  throw unreadable(`There is no complete backup in ${target}.`);
}

/** The place of a backup, and its folder there; `dirname` would take a slash from `s3://`. */
function splitTarget(target: string): [parent: string, folder: string] {
  if (!target.startsWith('s3://')) return [dirname(resolve(target)), basename(resolve(target))];
  const [, parent = '', folder = ''] = /^(s3:\/\/[^/]+(?:\/.*)?)\/([^/]+)\/*$/.exec(target) ?? [];
  return [parent, folder];
}

/** Folders of the backups of one database that bear their own names, newest first. Those that somebody renamed are the operator's. */
const listFolders = async (place: BackupPlace, owner: string | undefined): Promise<string[]> =>
  (await place.list()).filter((folder) => isBackupId(folder) && readBackupOwner(folder) === owner).reverse();

/**
 * Removes the oldest whole backups of the same database, so that so many remain.
 * @param id of a whole backup of that database
 * @returns ids of those that are gone
 */
export async function keepNewest(place: BackupPlace, id: string, keep: number): Promise<string[]> {
  const whole: string[] = [];
  for (const folder of await listFolders(place, readBackupOwner(id))) if (await isWhole(place, folder)) whole.push(folder);
  const old = whole.slice(keep);
  for (const one of old) await place.remove(one);
  return old;
}

export async function removeUnfinished(place: BackupPlace, owner: string): Promise<void> {
  for (const folder of await listFolders(place, owner)) if (!(await isWhole(place, folder))) await place.remove(folder);
}

async function isWhole(place: BackupPlace, folder: string): Promise<boolean> {
  const found = await place.read(folder, MANIFEST);
  found?.destroy();
  return found !== null;
}

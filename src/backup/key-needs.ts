import { Failure } from '../domain/errors.ts';
import { type BackupKeys, type Manifest, openManifest, requireMasterKeys } from './manifest.ts';
import { isBackupId, readBackupInstant, readBackupOwner } from './places/backup-place.ts';
import type { StoredBackup } from './places/stored-backups.ts';

/** A key without which some backups of a place cannot be restored: it encrypts them, or values in them. */
export interface KeyNeed {
  from: Manifest['key']['from'];
  keyId: string;
  backups: number;
  /** When newer backups will have replaced all of them; null where that is not to be foreseen. */
  until: Date | null;
}

/** The pace at which backups of a database are made, and the number of them that remain. */
export interface BackupSchedule {
  owner: string;
  everySeconds: number;
  keep: number;
}

/**
 * The keys that backups need, by what their manifests say.
 * @param backups newest first
 * @param schedule of the place; null where backups come and go by hand
 */
export function listKeyNeeds(backups: readonly StoredBackup[], schedule: BackupSchedule | null): KeyNeed[] {
  const replaced = replacements(backups, schedule);
  const needs = new Map<string, KeyNeed>();
  for (const backup of backups) {
    const until = replaced.get(backup) ?? null;
    for (const { from, keyId } of listKeys(backup)) {
      const name = `${from}/${keyId}`;
      const known = needs.get(name) ?? { from, keyId, backups: 0, until };
      // The first is the newest, and goes last.
      needs.set(name, { ...known, backups: known.backups + 1, until: until && known.until });
    }
  }
  return [...needs.values()];
}

type KeyOfBackup = Pick<KeyNeed, 'from' | 'keyId'>;

function listKeys({ manifest }: StoredBackup): KeyOfBackup[] {
  if (manifest === null) return [];
  const { from, id } = manifest.key;
  const others = manifest.master_keys.filter((keyId) => from !== 'MASTER_KEYS' || keyId !== id);
  return [{ from, keyId: id }, ...others.map((keyId): KeyOfBackup => ({ from: 'MASTER_KEYS', keyId }))];
}

/** When each backup goes; those of other databases and those that somebody renamed stay. */
function replacements(backups: readonly StoredBackup[], schedule: BackupSchedule | null): Map<StoredBackup, Date> {
  if (schedule === null) return new Map();
  const { owner, everySeconds, keep } = schedule;
  const own = backups.filter(({ id, folder }) => readBackupOwner(id) === owner && isBackupId(folder));
  const newest = own[0] ? readBackupInstant(own[0].id).getTime() : 0;
  return new Map(own.map((backup, index) => [backup, new Date(newest + Math.max(1, keep - index) * everySeconds * 1_000)]));
}

/** The reason for which a backup cannot be restored with these keys; null where it can be. @param lost ids of master keys that nobody has any more */
export function findKeyFault({ manifest }: StoredBackup, keys: BackupKeys, lost: readonly string[]): string | null {
  try {
    requireMasterKeys(openManifest(manifest, keys), keys.keyrings.MASTER_KEYS?.ids ?? [], lost);
    return null;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

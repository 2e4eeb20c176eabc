import { type KeyNeed, listKeyNeeds } from '../../backup/key-needs.ts';
import { createPlace } from '../../backup/places/place.ts';
import { listBackups, type StoredBackup } from '../../backup/places/stored-backups.ts';
import { databaseMark } from '../../backup/snapshot.ts';
import type { Session } from '../terminal/session.ts';

export interface PlaceOfBackups {
  target: string;
  /** Mark of the database that is administered. */
  owner: string;
  /** Newest first, those of other databases among them. */
  backups: StoredBackup[];
  needs: KeyNeed[];
}

/** Reads the manifests in BACKUP_TO, or in another place, where backups come and go by hand; null where neither is given. */
export async function readPlaceOfBackups({ config, database }: Session, other?: string): Promise<PlaceOfBackups | null> {
  const target = other ?? config.BACKUP_TO;
  if (target === undefined) return null;
  const owner = await databaseMark(database.pool);
  const backups = await listBackups(await createPlace(target, config));
  const schedule = target === config.BACKUP_TO ? { owner, everySeconds: config.BACKUP_EVERY, keep: config.BACKUP_KEEP } : null;
  return { target, owner, backups, needs: listKeyNeeds(backups, schedule) };
}

/** The time for which to keep a key for the sake of backups: `until about 2026-12-10, …`. */
export const writeKeptUntil = ({ until }: KeyNeed): string =>
  until === null ? 'until you have removed them' : `until about ${until.toISOString().slice(0, 10)}, when newer ones have replaced them`;

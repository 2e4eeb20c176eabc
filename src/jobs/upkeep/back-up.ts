import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
import { createBackup } from '../../backup/create-backup.ts';
import { createBackupKeys } from '../../backup/manifest.ts';
import { boundedPace } from '../../backup/pace.ts';
import { readBackupInstant } from '../../backup/places/backup-place.ts';
import { createPlace } from '../../backup/places/place.ts';
import { keepNewest, newestBackup } from '../../backup/places/stored-backups.ts';
import { databaseMark } from '../../backup/snapshot.ts';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import { Failure } from '../../domain/errors.ts';
import type { Files } from '../../gateways/files/files.ts';

interface BackUpDeps {
  config: Config;
  database: Database;
  gateways: { files: Files };
  logger: Pick<Logger, 'info' | 'error'>;
}

/** The instant of the newest whole backup as this process last saw it; null where there is none, undefined where none is asked for. */
let newest: Date | null | undefined;

new Gauge({
  name: 'backup_age_seconds',
  help: 'Age in seconds of the newest complete backup in BACKUP_TO, as last seen by this process; +Inf if there is none',
  collect() {
    if (newest === undefined) this.remove();
    else this.set(newest === null ? Number.POSITIVE_INFINITY : (Date.now() - newest.getTime()) / 1000);
  },
});

/**
 * Makes a backup in BACKUP_TO where the newest of this database is older than BACKUP_EVERY, and then removes all but the newest
 * BACKUP_KEEP. Of any number of processes one makes it, at a bounded share of the machine.
 * @param stopping ends a backup that is under way; it then does not count
 */
export async function backUp({ config, database, gateways, logger }: BackUpDeps, stopping: AbortSignal): Promise<void> {
  const { BACKUP_TO, BACKUP_EVERY, BACKUP_KEEP } = config;
  if (BACKUP_TO === undefined) return;
  const place = await createPlace(BACKUP_TO, config);
  const found = await newestBackup(place, await databaseMark(database.pool));
  newest = found && readBackupInstant(found.id);
  if (newest !== null && Date.now() - newest.getTime() < BACKUP_EVERY * 1000) return;
  try {
    const source = { url: database.directUrl, files: gateways.files, embedded: config.DATABASE_URL === undefined };
    const { id, files } = await createBackup(source, { place, keys: createBackupKeys(config), pace: boundedPace(stopping), stopping });
    newest = readBackupInstant(id);
    const removed = await keepNewest(place, id, BACKUP_KEEP);
    logger.info({ backup: id, removed: removed.length }, 'backup made');
    if (files.faulty.length > 0) logger.error({ backup: id, files: files.faulty.length }, 'stored files are missing or altered');
  } catch (error) {
    const isOthers = error instanceof Failure && error.code === 'backup_under_way';
    if (!isOthers && !stopping.aborted) throw error;
  }
}

import { stat } from 'node:fs/promises';
import { findKeyFault } from '../../backup/key-needs.ts';
import { createBackupKeys } from '../../backup/manifest.ts';
import { readBackupInstant, readBackupOwner } from '../../backup/places/backup-place.ts';
import type { Config } from '../../config/config.ts';
import { duration } from '../../database/measures/quantities.ts';
import { type PlaceOfBackups, readPlaceOfBackups } from '../installation/backup-keys.ts';
import { byLimit, type DatabaseCheck, fail, ok, warn } from './finding.ts';

/** Times BACKUP_EVERY, as the age of the newest. */
const TIMES = { warn: 2, fail: 7 };
const PLACE = 'Set BACKUP_TO to a folder on another disk, or to s3://bucket/prefix; or create a backup now: npm run admin -- backup create';

/** Whether there are backups of this database, outside of its disk, and whether the given keys open them. */
export const BACKUP_CHECK: DatabaseCheck = {
  name: 'backup',
  async look(session) {
    const { config } = session;
    const place = await readPlaceOfBackups(session);
    if (place === null) {
      const found = 'there are no scheduled backups';
      return config.NODE_ENV === 'production' ? warn(found, PLACE) : ok(found);
    }
    const keys = createBackupKeys(config);
    const own = place.backups.filter(({ id }) => readBackupOwner(id) === place.owner);
    const [newest, ...older] = own.map((backup) => ({ backup, fault: findKeyFault(backup, keys, config.LOST_MASTER_KEY_IDS) }));
    if (newest === undefined) return fail('there is no backup of this database in BACKUP_TO', PLACE);
    const age = Math.max(0, (Date.now() - readBackupInstant(newest.backup.id).getTime()) / 1000);
    const closed = older.filter(({ fault }) => fault !== null);
    const figures = {
      age_seconds: Math.round(age),
      backups: own.length,
      backups_not_opened: closed.length + (newest.fault === null ? 0 : 1),
    };
    const found = `the newest is ${duration(age)} old; ${writeKeyNeeds(place)}`;
    if (newest.fault !== null) return fail(`${found}. The newest cannot be restored: ${newest.fault}`, KEYS, figures);
    const late = byLimit(age / config.BACKUP_EVERY, TIMES, {
      found,
      advice: 'Check that a process runs jobs; its log says why a backup failed.',
      figures,
    });
    if (late.state !== 'ok') return late;
    if (closed[0]) return warn(`${found}. Of the older ones ${closed.length} cannot be restored: ${closed[0].fault}`, KEYS, figures);
    return config.NODE_ENV === 'production' && (await isBesideData(config)) ? ok(`${found}; ${BESIDE}`, figures) : late;
  },
};

const KEYS = 'Restore the keys named here, or make a backup under the current ones: npm run admin -- backup create';
/** Said, and no warning forever: whether the folder is copied elsewhere cannot be seen from here. */
const BESIDE = 'BACKUP_TO is on the disk of DATA_DIR, which does not survive the loss of this machine: copy the backups to another one';

/** `3 of 14 need "k1" of MASTER_KEYS`. */
const writeKeyNeeds = ({ backups, needs }: PlaceOfBackups): string =>
  needs.map(({ from, keyId, backups: count }) => `${count} of ${backups.length} need "${keyId}" of ${from}`).join(', ');

/** Whether backups are in a folder of the same file system as the data. */
async function isBesideData({ BACKUP_TO = '', DATA_DIR }: Config): Promise<boolean> {
  const [place, data] = await Promise.all([BACKUP_TO, DATA_DIR].map((path) => stat(path).catch(() => null)));
  return place?.dev !== undefined && place.dev === data?.dev;
}

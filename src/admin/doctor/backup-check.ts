import { createPlace, newestBackup } from '../../backup/place.ts';
import { databaseMark } from '../../backup/snapshot.ts';
import { duration } from '../../database/quantities.ts';
import { byLimit, type DatabaseCheck, fail, ok, warn } from './finding.ts';

/** Times BACKUP_EVERY, as the age of the newest. */
const TIMES = { warn: 2, fail: 7 };

export const BACKUP_CHECK: DatabaseCheck = {
  name: 'backup',
  async look({ config: { BACKUP_TO, BACKUP_EVERY, NODE_ENV, ...config }, database: { pool } }) {
    const advice = 'Set BACKUP_TO to a folder of another disk, or to s3://bucket/prefix; or make one: npm run admin -- backup create';
    if (BACKUP_TO === undefined) {
      const found = 'no backups are made by themselves';
      return NODE_ENV === 'production' ? warn(found, advice) : ok(found);
    }
    const newest = await newestBackup(createPlace(BACKUP_TO, config), await databaseMark(pool));
    if (newest === null) return fail('there is no backup of this database in BACKUP_TO', advice);
    const age = Math.max(0, (Date.now() - newest.getTime()) / 1000);
    const figures = { age_seconds: Math.round(age) };
    const late = 'Does a process run jobs? Its log says why a backup failed.';
    return byLimit(age / BACKUP_EVERY, TIMES, { found: `the newest is ${duration(age)} old`, advice: late, figures });
  },
};

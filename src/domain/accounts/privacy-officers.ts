import type { Db } from '../../database/database.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { notFound } from '../errors.ts';

/** Says whether a user is told of each emergency access to a chart. @throws Failure not_found, also for interface users */
export async function setPrivacyOfficer(db: Db, caller: Caller, id: number, privacyOfficer: boolean): Promise<void> {
  const { organizationId } = caller;
  const { count } = await db.user.updateMany({ where: { organizationId, id, type: { not: 'interface' } }, data: { privacyOfficer } });
  if (count === 0) throw notFound('user');
  recordChange(caller, 'administer', { name: 'user.updated', subject: 'user', id, changed: ['privacyOfficer'] });
}

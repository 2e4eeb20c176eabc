import type { Db } from '../../database/database.ts';
import type { Caller } from '../caller.ts';
import { listActiveAdmins } from '../identity/rights/active-admins.ts';
import { notifyUsers } from '../notifications/notifications.ts';
import { type AccountMailDeps, findMailedUser, mailUser } from './account-mails.ts';
import { LOCK_OUTS_MAIL } from './mail-words.ts';

const HOUR_MS = 3_600_000;

/** Tells the administrators of a practice that many of its accounts were locked: a notification and a mail, once an hour. */
export async function reportLockOuts(db: Db, caller: Caller, deps: AccountMailDeps): Promise<void> {
  const { organizationId } = caller;
  const userIds = await listActiveAdmins(db, caller);
  const occasion = Math.floor(Date.now() / HOUR_MS);
  const subject = { type: 'organization', id: organizationId };
  for (const userId of await notifyUsers(db, caller, { kind: 'accounts.locked', subject, occasion, userIds })) {
    const to = await findMailedUser(db, organizationId, userId);
    if (to) await mailUser(db, caller, deps, to, { words: LOCK_OUTS_MAIL, path: '/administration/audit' });
  }
}

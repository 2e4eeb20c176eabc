import { listActiveAdmins } from '../identity/rights/active-admins.ts';
import { notifyUsers } from '../notifications/notifications.ts';
import type { Tx } from '../tx.ts';
import { type AccountMailDeps, findMailedUser, mailUser } from './account-mails.ts';
import { LOCK_OUTS_MAIL } from './mail-words.ts';

const HOUR_MS = 3_600_000;

/** Tells the administrators of a practice that many of its accounts were locked: a notification and a mail, once an hour. */
export async function reportLockOuts(tx: Tx, deps: AccountMailDeps): Promise<void> {
  const userIds = await listActiveAdmins(tx);
  const occasion = Math.floor(Date.now() / HOUR_MS);
  const subject = { type: 'organization', id: tx.organizationId };
  for (const userId of await notifyUsers(tx, { kind: 'accounts.locked', subject, occasion, userIds })) {
    const to = await findMailedUser(tx, userId);
    if (to) await mailUser(tx, deps, to, { words: LOCK_OUTS_MAIL, path: '/administration/audit' });
  }
}

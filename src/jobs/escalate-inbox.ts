import { escalateItem, listDueItems } from '../domain/messaging/inbox/escalation.ts';
import { type WriteEachDeps, writeEach } from './write-each.ts';

/** Items per run. */
const MOST = 500;

/** Notifies the next person of each inbox item that nobody has acknowledged in time. */
export const escalateInbox = (deps: WriteEachDeps): Promise<void> =>
  writeEach(deps, 'escalate-inbox', {
    list: (db) => listDueItems(db, MOST),
    write: (db, caller, { id }) => escalateItem(db, caller, id),
  });

import { findDueVisits, sendDueMessages } from '../domain/messaging/visit-messages/due-messages.ts';
import { dueByEachClock, nowIn } from '../domain/values/test-practices.ts';
import { type WriteEachDeps, writeEach } from './write-each.ts';

/** Messages per run. */
const MOST = 1_000;

/** Sends the messages before and after visits that are due. A transaction for each visit locks it, and stores what became of a message with its text. */
export const sendVisitMessages = (deps: WriteEachDeps, clock: (organizationId: number | null) => Date = nowIn): Promise<void> =>
  writeEach(deps, 'visit-messages', {
    list: (db) => dueByEachClock(clock, (now, practice) => findDueVisits(db, now, MOST, practice)),
    write: (db, caller, { id }) => sendDueMessages(db, caller, id, clock(caller.organizationId)),
  });

import type { LinkOptions } from '../domain/messaging/check-ins/check-ins.ts';
import { findDueTimes, offerFreedTime } from '../domain/messaging/offers/freed-times.ts';
import { findDueLinks, sendDueLink } from '../domain/messaging/offers/links-after-decline.ts';
import { type WriteEachDeps, writeEach } from './write-each.ts';

/** Times per run. */
const MOST = 500;

/** Offers the times that became free to patients on the waitlist, and passes on what nobody answered. */
export const offerFreedTimes = (deps: WriteEachDeps & LinkOptions, clock: () => Date = () => new Date()): Promise<void> =>
  writeEach(deps, 'freed-times', {
    list: (db) => findDueTimes(db, clock(), MOST),
    write: (db, caller, { id }) => offerFreedTime(db, caller, id, clock(), deps),
  });

/** Sends the links to free times of patients who declined a visit. */
export const sendDueLinks = (deps: WriteEachDeps & LinkOptions, clock: () => Date = () => new Date()): Promise<void> =>
  writeEach(deps, 'booking-links', {
    list: (db) => findDueLinks(db, clock(), MOST),
    write: (db, caller, { id }) => sendDueLink(db, caller, id, deps),
  });

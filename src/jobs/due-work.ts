import type { Db } from '../database/database.ts';
import { jobCaller } from '../domain/caller.ts';
import type { LinkOptions } from '../domain/messaging/check-ins/check-ins.ts';
import { listDueSchedules, runSchedule } from '../domain/messaging/check-ins/scheduled-check-in-runs.ts';
import { endGuardianship, findEndedGuardianships } from '../domain/messaging/inbox/ended-guardianships.ts';
import { escalateItem, listDueItems } from '../domain/messaging/inbox/escalation.ts';
import { findDueTimes, offerFreedTime } from '../domain/messaging/offers/freed-times.ts';
import { findDueLinks, sendDueLink } from '../domain/messaging/offers/links-after-decline.ts';
import { findDueAppointments, sendDueMessages } from '../domain/messaging/visit-messages/due-messages.ts';
import { escalateAlert, listDueAlerts } from '../domain/monitoring/alerts/alert-escalation.ts';
import { listOrganizationsWithMissedCheckIns, raiseAlertsOfMissedCheckIns } from '../domain/monitoring/alerts/missed-check-ins.ts';
import { listDuePatientTexts, textPatient } from '../domain/monitoring/alerts/patient-texts.ts';
import { continueClosing, listClosingsUnderWay } from '../domain/monitoring/monthly-billing/closing/closing-steps.ts';
import { findUpcomingVisits, sendVisitLink } from '../domain/telehealth/invites/five-minute-link.ts';
import type { Tx } from '../domain/tx.ts';
import { listDueDigests, sendDigest } from '../domain/users/request-digests.ts';
import { dueByEachClock, nowIn } from '../domain/values/test-practices.ts';
import type { JobDeps } from './queue/job-deps.ts';

type Deps = Pick<JobDeps, 'database' | 'outbox' | 'unitOfWork'>;
type DepsWithLinks = Deps & LinkOptions;

interface Work<T> {
  list(db: Db): Promise<T[]>;
  /** @returns `more` where another step is to follow */
  write(tx: Tx, one: T): Promise<unknown>;
  /** Steps of one per run; the next run continues, so that none waits for a very long one. */
  mostSteps?: number;
}

/** Records per run, of most kinds. */
const MOST = 500;
/** Of those of which many are due at one time of the day. */
const MOST_AT_A_TIME = 1_000;

/**
 * Each step is one transaction with its notifications and texts, so that none is lost by a kill or made twice by several processes: what
 * another process works on is skipped, and after a kill the next run continues where the last step ended.
 * @throws the first error, after all were tried
 */
async function writeEach<T extends { organizationId: number }>(
  { database, outbox, unitOfWork }: Deps,
  job: string,
  { list, write, mostSteps = 1 }: Work<T>,
): Promise<void> {
  // Opened before any transaction, so that no transaction waits for its connection.
  await outbox.open();
  const failures: unknown[] = [];
  for (const one of await list(database.prisma)) {
    const step = () => unitOfWork.write(jobCaller(one.organizationId, job), (tx) => write(tx, one));
    try {
      for (let steps = 0; steps < mostSteps && (await step()) === 'more'; steps += 1);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

export const sendScheduledCheckIns = (deps: DepsWithLinks, clock: (organizationId: number | null) => Date = nowIn): Promise<void> =>
  writeEach(deps, 'scheduled-check-ins', {
    list: (db) => dueByEachClock(clock, (now, practice) => listDueSchedules(db, now, MOST_AT_A_TIME, practice)),
    write: (tx, { id }) => runSchedule(tx, id, clock(tx.organizationId), deps),
    mostSteps: 20,
  });

/**
 * Sends patients the links of their video visits five minutes before the start; later where no process was running then, until the start.
 * Each link is sent once.
 */
export const sendFiveMinuteLinks = (deps: DepsWithLinks): Promise<void> =>
  writeEach(deps, 'five-minute-link', {
    list: (db) => dueByEachClock(nowIn, (now, practice) => findUpcomingVisits(db, now, MOST, practice)),
    write: (tx, visit) => sendVisitLink(tx, visit, deps),
  });

/** Sends the messages before and after visits that are due. A transaction for each visit locks it, and stores what became of a message with its text. */
export const sendVisitMessages = (deps: Deps, clock: (organizationId: number | null) => Date = nowIn): Promise<void> =>
  writeEach(deps, 'visit-messages', {
    list: (db) => dueByEachClock(clock, (now, practice) => findDueAppointments(db, now, MOST_AT_A_TIME, practice)),
    write: (tx, { id }) => sendDueMessages(tx, id, clock(tx.organizationId)),
  });

/** Offers the times that became free to patients on the waitlist, and passes on what nobody answered. */
export const offerFreedTimes = (deps: DepsWithLinks, clock: () => Date = () => new Date()): Promise<void> =>
  writeEach(deps, 'freed-times', {
    list: (db) => findDueTimes(db, clock(), MOST),
    write: (tx, { id }) => offerFreedTime(tx, id, clock(), deps),
  });

/** Sends the links to free times of patients who declined a visit. */
export const sendDueLinks = (deps: DepsWithLinks, clock: () => Date = () => new Date()): Promise<void> =>
  writeEach(deps, 'booking-links', {
    list: (db) => findDueLinks(db, clock(), MOST),
    write: (tx, { id }) => sendDueLink(tx, id, deps),
  });

/** Ends guardianships of patients who came of age, and of guardians who died or whose chart was deleted. */
export const endGuardianships = (deps: Deps): Promise<void> =>
  writeEach(deps, 'guardianships', {
    list: (db) => findEndedGuardianships(db, MOST),
    write: (tx, { patientId }) => endGuardianship(tx, patientId),
  });

/** Notifies the next person of each inbox item that nobody has acknowledged in time. */
export const escalateInbox = (deps: Deps): Promise<void> =>
  writeEach(deps, 'escalate-inbox', {
    list: (db) => listDueItems(db, MOST),
    write: (tx, { id }) => escalateItem(tx, id),
  });

/** Notifies the next people of each alert that nobody has acknowledged in time. */
export const escalateAlerts = (deps: Deps): Promise<void> =>
  writeEach(deps, 'escalate-alerts', {
    list: (db) => listDueAlerts(db, MOST),
    write: (tx, { id }) => escalateAlert(tx, id),
  });

/** Raises alerts of check-ins that nobody has answered in the time of their program. */
export const raiseMissedAlerts = (deps: Deps): Promise<void> =>
  writeEach(deps, 'missed-check-ins', {
    list: async (db) => (await listOrganizationsWithMissedCheckIns(db)).map((organizationId) => ({ organizationId })),
    write: (tx) => raiseAlertsOfMissedCheckIns(tx, MOST),
  });

export const textPatientsInDanger = (deps: Deps): Promise<void> =>
  writeEach(deps, 'text-patients-in-danger', {
    list: (db) => listDuePatientTexts(db, MOST),
    write: (tx, { id }) => textPatient(tx, id),
  });

/** Takes the closings of ledger months further that many patients have. */
export const closeMonths = (deps: Deps, mostSteps = 8): Promise<void> =>
  writeEach(deps, 'close-months', {
    list: listClosingsUnderWay,
    write: (tx, { id }) => continueClosing(tx, id),
    mostSteps,
  });

/** Mails administrators what failed in a week, of the API clients for which they asked. */
export const sendRequestDigests = (deps: DepsWithLinks): Promise<void> =>
  writeEach(deps, 'request-digests', {
    list: (db) => listDueDigests(db, MOST),
    write: (tx, digest) => sendDigest(tx, deps, digest),
  });

import type { Database } from '../database/database.ts';
import { jobCaller } from '../domain/caller.ts';
import type { LinkOptions } from '../domain/messaging/check-ins/check-ins.ts';
import { findUpcomingVisits, sendVisitLink } from '../domain/telehealth/five-minute-check-in.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import type { Outbox } from './queue.ts';

/** Appointments a look. */
const MOST = 500;

interface SendingDeps extends LinkOptions {
  database: Database;
  outbox: Outbox;
  unitOfWork: UnitOfWork;
}

/**
 * Sends patients the links of their video visits, five minutes before; later, where no process ran then, until the start.
 * Killed in the middle, or run by several processes at once, each link goes out once: it and the note of it are one
 * transaction.
 * @throws the first of what kept a link from being sent, after all others were looked at
 */
export async function sendFiveMinuteCheckIns({ database, outbox, unitOfWork, keyring, origin }: SendingDeps): Promise<void> {
  // Its own connection first, so that none is waited for inside a transaction.
  await outbox.open();
  const failures: unknown[] = [];
  for (const visit of await findUpcomingVisits(database.prisma, MOST)) {
    const caller = jobCaller(visit.organizationId, 'five-minute-check-in');
    await unitOfWork
      .write(caller, (db, inWork) => sendVisitLink(db, inWork, visit, { keyring, origin }))
      .catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

import type { Database, Db } from '../database/database.ts';
import { jobCaller } from '../domain/caller.ts';
import {
  closeDesertedSession,
  endLostWaitingRoomVisit,
  findDesertedSessions,
  findLostWaitingRoomVisits,
  findSessionsToReconcile,
  reconcileSession,
} from '../domain/telehealth/presence/presence-heartbeats.ts';
import { deleteOldSignals } from '../domain/telehealth/sessions/signals.ts';
import type { Tx } from '../domain/tx.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import type { RowKey } from '../domain/values/row-key.ts';

/** Sessions or visits per query. */
const MOST = 500;

type Find = (db: Db, most: number) => Promise<RowKey[]>;
type End = (tx: Tx, id: number) => Promise<void>;

/** Rows that a closed laptop or a killed process may leave behind, and the functions that end them. */
const STEPS: readonly [Find, End][] = [
  [findSessionsToReconcile, reconcileSession],
  [findLostWaitingRoomVisits, endLostWaitingRoomVisit],
  [findDesertedSessions, closeDesertedSession],
];

/**
 * Ends the presence of participants without a recent heartbeat, and their visits, at the time of the last heartbeat. Each session
 * is locked meanwhile, so any number of processes may run this.
 * @throws the first error, after all sessions and visits were tried
 */
export async function reconcilePresence({ database, unitOfWork }: { database: Database; unitOfWork: UnitOfWork }): Promise<void> {
  const failures: unknown[] = [];
  for (const [find, end] of STEPS) {
    for (const { organizationId, id } of await find(database.prisma, MOST)) {
      const caller = jobCaller(organizationId, 'reconcile-presence');
      await unitOfWork.write(caller, (tx) => end(tx, id)).catch((error: unknown) => failures.push(error));
    }
  }
  await deleteOldSignals(database.prisma);
  if (failures.length > 0) throw failures[0];
}

import type { Database } from '../database/database.ts';
import { jobCaller } from '../domain/caller.ts';
import {
  listPendingNumberOrders,
  type PendingNumberOrder,
  purchaseReference,
  recordOrderAttempt,
  recordPurchased,
  recordPurchaseRefused,
  recordReleased,
} from '../domain/messaging/numbers/number-orders.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import { type Carrier, CarrierRefusal } from '../gateways/carrier.ts';

/** Numbers a run. */
const BATCH = 50;

interface ReconcileDeps {
  database: Database;
  unitOfWork: UnitOfWork;
  carrier: Carrier;
}

/**
 * Buys the numbers that were ordered, and gives back those that were released. The carrier is asked outside of any
 * transaction, each time under the same reference: killed before its answer is stored, or run by two processes at once,
 * this asks again and hears the same.
 * @throws the first of what kept the carrier from answering, after all others were asked
 */
export async function reconcileNumberOrders({ database, unitOfWork, carrier }: ReconcileDeps): Promise<void> {
  const failures: unknown[] = [];
  for (const task of await listPendingNumberOrders(database.prisma, carrier.name, BATCH)) {
    try {
      await reconcile(unitOfWork, carrier, task);
    } catch (error) {
      failures.push(error);
      await recordOrderAttempt(database.prisma, task);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function reconcile(unitOfWork: UnitOfWork, carrier: Carrier, task: PendingNumberOrder): Promise<void> {
  const caller = jobCaller(task.organizationId, 'reconcile-number-orders');
  if (task.state === 'releasing') {
    if (task.carrierId !== null) await carrier.releaseNumber(task.carrierId);
    return unitOfWork.write(caller, (db, inWork) => recordReleased(db, inWork, task.id));
  }
  try {
    const { id } = await carrier.purchaseNumber({ number: task.number, reference: purchaseReference(task) });
    await unitOfWork.write(caller, (db, inWork) => recordPurchased(db, inWork, task.id, id));
  } catch (error) {
    if (!(error instanceof CarrierRefusal)) throw error;
    await unitOfWork.write(caller, (db, inWork) => recordPurchaseRefused(db, inWork, task.id, error.code));
  }
}

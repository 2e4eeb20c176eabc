import type { Database } from '../../database/database.ts';
import { jobCaller } from '../../domain/caller.ts';
import {
  listPendingNumberOrders,
  type PendingNumberOrder,
  purchaseReference,
  recordOrderAttempt,
  recordPurchased,
  recordPurchaseRefused,
  recordReleased,
  recordReturnBegun,
} from '../../domain/messaging/numbers/number-orders.ts';
import type { UnitOfWork } from '../../domain/unit-of-work/unit-of-work.ts';
import { type Carrier, CarrierRefusal } from '../../gateways/carrier/carrier.ts';

/** Numbers per run. */
const BATCH = 50;

export interface ReconcileDeps {
  database: Database;
  unitOfWork: UnitOfWork;
  carrier: Carrier;
}

/**
 * Purchases ordered numbers, and returns those that were released a day ago. The carrier is called outside of any
 * transaction, each time with the same reference: after a kill before its response is stored, or with two concurrent processes,
 * the call is repeated with the same result.
 * @throws the first error of the carrier, after all orders were tried
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
    const isDue = await unitOfWork.write(caller, (tx) => recordReturnBegun(tx, task.id));
    if (!isDue) return;
    if (task.carrierId !== null) await carrier.releaseNumber(task.carrierId);
    return unitOfWork.write(caller, (tx) => recordReleased(tx, task.id));
  }
  try {
    const { id } = await carrier.purchaseNumber({ number: task.number, reference: purchaseReference(task) });
    await unitOfWork.write(caller, (tx) => recordPurchased(tx, task.id, id));
  } catch (error) {
    if (!(error instanceof CarrierRefusal)) throw error;
    await unitOfWork.write(caller, (tx) => recordPurchaseRefused(tx, task.id, error.code));
  }
}

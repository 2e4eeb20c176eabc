import { jobCaller } from '../../domain/caller.ts';
import { listRegistrationsDue, recordRegistration } from '../../domain/messaging/numbers/number-registration.ts';
import type { ReconcileDeps } from './reconcile-number-orders.ts';

/** Numbers per run. */
const BATCH = 50;

/**
 * Lets numbers that were bought join the messaging service of their practice, and looks up whether carriers take texts from them: soon
 * after the purchase, and again from time to time. The carrier is called outside of any transaction, and answers the same to a second process.
 * @throws the first error of the carrier, after all numbers were looked up
 */
export async function registerNumbers({ database, unitOfWork, carrier }: ReconcileDeps, now = new Date()): Promise<void> {
  const failures: unknown[] = [];
  for (const { organizationId, phoneNumberId, ...number } of await listRegistrationsDue(database.prisma, carrier.name, now, BATCH)) {
    const found = await carrier.findRegistration(number).catch((error: unknown) => {
      failures.push(error);
      return null;
    });
    await unitOfWork.write(jobCaller(organizationId, 'register-numbers'), (tx) => recordRegistration(tx, phoneNumberId, found, now));
  }
  if (failures.length > 0) throw failures[0];
}

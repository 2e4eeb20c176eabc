import type { PracticeTx } from '../../tx.ts';
import { LOCK_APPOINTMENT, type StoredAppointment } from './booking.sql.ts';

/**
 * Locks an appointment until the transaction ends, so that no change writes back what it read before another one, and a text names
 * it as it is when the text is queued: a text that is queued after a change names the new state, and one that was queued before is
 * found by the change.
 * @returns null for an id that the practice does not have
 */
export async function lockAppointment(tx: PracticeTx, id: number): Promise<StoredAppointment | null> {
  const [locked] = await tx.rows(LOCK_APPOINTMENT, [id]);
  return locked ?? null;
}

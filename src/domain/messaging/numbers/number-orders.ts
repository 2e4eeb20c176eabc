import type { Db } from '../../../database/database.ts';
import { overAllPractices } from '../../../database/statements/all-practices.ts';
import type { PhoneNumber } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { EventName } from '../../events/catalogue.ts';
import type { Tx } from '../../tx.ts';
import { freeNumber } from './number-directory.ts';

/** A purchase or release that the carrier has not confirmed yet. */
export type PendingNumberOrder = Pick<PhoneNumber, 'organizationId' | 'id' | 'number' | 'carrierId' | 'attempts'> & {
  state: 'ordered' | 'releasing';
};

/** Permanent name of a purchase at the carrier. */
export const purchaseReference = ({ organizationId, id }: { organizationId: number; id: number }) => `number-${organizationId}-${id}`;

/**
 * Orders that wait for this carrier, fewest attempts first. A released number is returned when it can no longer be taken back, and
 * is not bought again before that is finished.
 */
export async function listPendingNumberOrders(db: Db, carrier: string, most: number): Promise<PendingNumberOrder[]> {
  const due = await db.$queryRaw<PendingNumberOrder[]>`
    SELECT organization_id AS "organizationId", id, number, state::text AS state, carrier_id AS "carrierId", attempts
      FROM phone_number n
     WHERE state IN ('ordered', 'releasing') AND carrier = ${carrier}
       AND (state = 'ordered' OR released_at IS NOT NULL OR releases_at <= now())
     ORDER BY attempts, id LIMIT ${most} ${overAllPractices('the job looks for orders that wait')}`;
  const ordered = due.flatMap(({ state, number }) => (state === 'ordered' ? [number] : []));
  if (ordered.length === 0) return due;
  // Of whichever practice. Asked apart: rows of practices on different nodes are not compared with each other.
  const returning = await db.$queryRaw<{ number: string }[]>`
    SELECT number FROM phone_number n
     WHERE state = 'releasing' AND number = ANY (${ordered})
     ${overAllPractices('a number is bought again when another practice has returned it')}`;
  const blocked = new Set(returning.map(({ number }) => number));
  return due.filter(({ state, number }) => state === 'releasing' || !blocked.has(number));
}

/** Counts an attempt that the carrier did not answer. */
export async function recordOrderAttempt(db: Db, { organizationId, id }: Pick<PendingNumberOrder, 'organizationId' | 'id'>): Promise<void> {
  await db.phoneNumber.update({ where: { organizationId_id: { organizationId, id } }, data: { attempts: { increment: 1 } } });
}

export async function recordPurchased(tx: Tx, id: number, carrierId: string): Promise<void> {
  await completeOrder(tx, { id, from: 'ordered', data: { state: 'active', carrierId }, name: 'number.purchased' });
}

/** Records that the carrier will never sell the number; others may order it from now on. */
export async function recordPurchaseRefused(tx: Tx, id: number, failure: string): Promise<void> {
  const data = { state: 'failed', failure, releasedAt: new Date() } as const;
  await completeOrder(tx, { id, from: 'ordered', data, name: 'number.refused' });
}

/**
 * Records that the number is the practice's no longer. The carrier is told afterwards, as it may sell the number at once.
 * @returns false where the practice has taken the number back
 */
export async function recordReturnBegun(tx: Tx, id: number): Promise<boolean> {
  const due = { ...tx.practice, id, state: 'releasing', releasedAt: null, releasesAt: { lte: new Date() } } as const;
  const { count } = await tx.prisma.phoneNumber.updateMany({ where: due, data: { releasedAt: new Date() } });
  if (count > 0) {
    await freeNumber(tx, id);
    return true;
  }
  return (await tx.prisma.phoneNumber.count({ where: { ...tx.practice, id, state: 'releasing', releasedAt: { not: null } } })) > 0;
}

export async function recordReleased(tx: Tx, id: number): Promise<void> {
  await completeOrder(tx, { id, from: 'releasing', data: { state: 'released' }, name: 'number.returned' });
}

interface OrderResult {
  id: number;
  from: PendingNumberOrder['state'];
  data: Partial<Pick<PhoneNumber, 'state' | 'carrierId' | 'failure' | 'releasedAt'>>;
  name: EventName;
}

/** Records the result of an order. Where several processes have the carrier's response, one of them records it. */
async function completeOrder(tx: Tx, { id, from, data, name }: OrderResult): Promise<void> {
  const { count } = await tx.prisma.phoneNumber.updateMany({ where: { ...tx.practice, id, state: from }, data });
  if (count === 0) return;
  if (data.releasedAt) await freeNumber(tx, id);
  recordChange(tx, 'update', { name, id, changed: ['state'] });
}

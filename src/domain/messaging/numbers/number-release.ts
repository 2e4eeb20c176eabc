import type { PhoneNumber } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, notFound } from '../../errors.ts';
import type { PracticeTx, Tx } from '../../tx.ts';

/** Milliseconds in which a released number can be taken back. */
const RELEASE_WAIT_MS = 24 * 60 * 60 * 1000;

/**
 * Locks the practice's numbers until the transaction ends, so that of two concurrent changes the second sees the first: neither
 * takes away the last plain number.
 * @param id a number that is locked too, whatever its state
 */
export async function lockNumbers(tx: PracticeTx, id: number | null = null): Promise<void> {
  await tx.prisma.$queryRaw`
    SELECT id FROM phone_number WHERE organization_id = ${tx.organizationId} AND (released_at IS NULL OR id = ${id}::int)
     ORDER BY id FOR NO KEY UPDATE`;
}

/**
 * Refuses to take away the last plain number, without which the practice can send no text and the office has no line. Called with
 * the numbers locked.
 * @throws Failure conflict
 */
export async function requireAnotherPlainNumber(tx: PracticeTx, { id, kind }: PhoneNumber): Promise<void> {
  if (kind !== 'plain') return;
  const other = await tx.prisma.phoneNumber.findFirst({
    where: { ...tx.practice, kind, state: 'active', releasedAt: null, id: { not: id } },
    select: { id: true },
  });
  if (!other)
    throw conflict(
      'last_plain_number',
      'This is the practice’s last plain number, which sends its texts. Purchase another one first.',
      'number',
    );
}

/**
 * Releases a number: for 24 hours it still is the practice's, which can take it back, and what comes in on it is received as
 * before. Then a job returns it to the carrier. Its calls and messages stay. Released again, nothing changes.
 * @throws Failure not_found; conflict for a number of another kind, while it is being bought, or for the last plain one
 */
export async function releaseNumber(tx: Tx, kind: PhoneNumber['kind'], id: number): Promise<void> {
  // Serializes with the job that buys and returns the number, too.
  await lockNumbers(tx, id);
  const key = tx.key(id);
  const found = await tx.prisma.phoneNumber.findUnique({ where: key });
  if (!found || (found.releasedAt !== null && found.state !== 'failed')) throw notFound('number');
  if (found.kind !== kind) throw conflict('number_of_another_kind', `This number is ${found.kind}, not ${kind}.`);
  if (found.state === 'ordered') throw conflict('number_ordered', 'The number is being bought. Try again in a moment.');
  if (found.state === 'releasing') return;
  if (found.state !== 'failed') await requireAnotherPlainNumber(tx, found);
  await tx.prisma.phoneNumber.update({
    where: key,
    data:
      found.state === 'failed'
        ? // The carrier never sold it, so there is nothing to return.
          { state: 'released' }
        : { state: 'releasing', releasesAt: new Date(Date.now() + RELEASE_WAIT_MS), attempts: 0 },
  });
  recordChange(tx, 'delete', { name: 'number.released', id });
}

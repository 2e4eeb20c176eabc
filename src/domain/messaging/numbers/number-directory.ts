import type { Db } from '../../../database/database.ts';
import type { HeldNumber } from '../../../generated/prisma/client.ts';
import { conflict } from '../../errors.ts';
import type { PracticeTx } from '../../tx.ts';

/** The practices that have numbers now, found by the number alone: a number has one owner in the world. */

/** The holder of a number; null where no practice has it now. */
export const findHolder = (db: Db, number: string): Promise<HeldNumber | null> => db.heldNumber.findUnique({ where: { number } });

/** Those of the numbers that some practice has now. */
export async function listHeld(db: Db, numbers: readonly string[]): Promise<Set<string>> {
  const held = await db.heldNumber.findMany({ where: { number: { in: [...numbers] } }, select: { number: true } });
  return new Set(held.map(({ number }) => number));
}

/**
 * Takes a number for a practice. On one machine a trigger has done so already, which the transaction sees.
 * @throws Failure conflict where another has it; of two who take it at once, the second waits for the first
 */
export async function holdNumber(db: Db, holder: HeldNumber): Promise<void> {
  await db.heldNumber.createMany({ data: [holder], skipDuplicates: true });
  const held = await findHolder(db, holder.number);
  if (held?.organizationId !== holder.organizationId || held.phoneNumberId !== holder.phoneNumberId) throw notForSale();
}

/** Frees the number of a row, if it is held by it. */
export async function freeNumber(tx: PracticeTx, phoneNumberId: number): Promise<void> {
  await tx.prisma.heldNumber.deleteMany({ where: { ...tx.practice, phoneNumberId } });
}

export const notForSale = () => conflict('number_not_available', 'This number is not for sale.', 'number');

import { randomInt } from 'node:crypto';
import type { Db } from '../../src/database/database.ts';
import type { Prisma } from '../../src/generated/prisma/client.ts';

const drawn = new Set<string>();

/**
 * A number of North America (E.164) that a person can have: its exchange, 220 to 499, is neither a service's (N11) nor information's. No
 * number is drawn twice: of two thousand, two would be the same in every second run.
 */
export function anyNumber(countryAndArea = '1919'): string {
  const number = `+${countryAndArea}${randomInt(2, 5)}${randomInt(2, 10)}${String(randomInt(100_000)).padStart(5, '0')}`;
  // Seven equal digits are no number in use.
  if (drawn.has(number) || /(\d)\1{6}$/.test(number)) return anyNumber(countryAndArea);
  drawn.add(number);
  return number;
}

/**
 * Adds a number of a practice, and enters it in the directory of numbers, as a trigger does on one machine. On a cluster all files share a
 * database, and another one may have the number already.
 */
export async function addPhoneNumber(db: Db, data: Prisma.PhoneNumberUncheckedCreateInput) {
  const added = await db.phoneNumber.create({ data });
  const { organizationId, number, id: phoneNumberId, releasedAt } = added;
  if (!releasedAt) await db.heldNumber.createMany({ data: [{ number, organizationId, phoneNumberId }], skipDuplicates: true });
  return added;
}

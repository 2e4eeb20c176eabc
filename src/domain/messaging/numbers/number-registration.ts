import type { Db } from '../../../database/database.ts';
import { overAllPractices } from '../../../database/statements/all-practices.ts';
import type { CarrierNumber, Registration } from '../../../gateways/carrier/carrier.ts';
import { type PhoneNumber, Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Tx } from '../../tx.ts';
import { textsFrom } from './sending-numbers.sql.ts';

/** A number whose registration is to be looked up. */
export interface UnregisteredNumber extends CarrierNumber {
  organizationId: number;
  phoneNumberId: number;
}

const HOUR_MS = 3_600_000;
/** A registration is lost seldom, and comes within days. */
const LOOK_AGAIN_MS: Record<PhoneNumber['registration'], number> = {
  registered: 24 * HOUR_MS,
  pending: HOUR_MS,
  unregistered: HOUR_MS,
  unknown: HOUR_MS / 4,
};

/** The numbers that practices text from whose registration is due at this carrier, those without any answer first. */
export function listRegistrationsDue(db: Db, carrier: string, now: Date, most: number): Promise<UnregisteredNumber[]> {
  return db.$queryRaw<UnregisteredNumber[]>`
    SELECT n.organization_id AS "organizationId", n.id AS "phoneNumberId", n.number, n.carrier_id AS id, s.messaging_service_sid AS "serviceId"
      FROM phone_number n
      LEFT JOIN security_policy s ON s.organization_id = n.organization_id
     WHERE n.carrier = ${carrier} AND n.kind = 'plain' AND n.state = 'active' AND n.carrier_id IS NOT NULL
       AND (n.registration_due_at IS NULL OR n.registration_due_at <= ${now})
     ORDER BY n.registration_due_at NULLS FIRST, n.id LIMIT ${most} ${overAllPractices('the job looks for what is due')}`;
}

/** The numbers from which the practices text at a real carrier, by their registration. */
export async function countRegistrations(db: Db): Promise<Record<PhoneNumber['registration'], number>> {
  const found = await db.$queryRaw<{ registration: PhoneNumber['registration']; count: number }[]>`
    SELECT n.registration, count(*)::int AS count FROM phone_number n
     WHERE n.carrier <> 'local' AND ${Prisma.raw(textsFrom('n'))} GROUP BY n.registration ${overAllPractices('doctor counts')}`;
  const count = (registration: PhoneNumber['registration']) => found.find((one) => one.registration === registration)?.count ?? 0;
  return { registered: count('registered'), pending: count('pending'), unregistered: count('unregistered'), unknown: count('unknown') };
}

/** Records what the carrier says of a number; null where it did not answer. */
export async function recordRegistration(tx: Tx, id: number, found: Registration | null, now: Date): Promise<void> {
  const key = tx.key(id);
  const { registration: before } = await tx.prisma.phoneNumber.findUniqueOrThrow({ where: key, select: { registration: true } });
  const registration = found ?? before;
  const registrationDueAt = new Date(now.getTime() + LOOK_AGAIN_MS[found ?? 'unknown']);
  await tx.prisma.phoneNumber.update({ where: key, data: { registration, registrationDueAt }, select: { id: true } });
  if (registration !== before) recordChange(tx, 'update', { name: 'number.registration_changed', id, changed: ['registration'] });
}

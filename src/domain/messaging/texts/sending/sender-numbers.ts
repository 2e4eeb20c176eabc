import type { Db } from '../../../../database/database.ts';
import type { SmsMessage } from '../../../../generated/prisma/client.ts';
import type { CallerIdentity } from '../../../caller.ts';

/** The plain number that this recipient was last written to from, else the one that the practice has had longest. */
async function findSenderNumber(db: Db, { organizationId }: CallerIdentity, to: string | null): Promise<string | null> {
  const [owned] = await db.$queryRaw<{ number: string }[]>`
    SELECT n.number FROM phone_number n
     WHERE n.organization_id = ${organizationId} AND n.kind = 'plain' AND n.released_at IS NULL AND n.carrier_id IS NOT NULL
     ORDER BY n.number = (SELECT m.from_number FROM sms_message m
                           WHERE m.organization_id = ${organizationId} AND m.to_number = ${to}::text AND m.direction = 'outbound'
                           ORDER BY m.queued_at DESC, m.id DESC LIMIT 1) DESC NULLS LAST, n.id
     LIMIT 1`;
  return owned?.number ?? null;
}

/**
 * The number that a queued text leaves from: its own, or another where the practice sends no texts from that one any more, because
 * it became a fax number or was released. A reply leaves at once, and keeps the number that was written to; a text that was
 * attempted keeps its own too, since the carrier may have it.
 */
export async function currentSenderNumber(
  db: Db,
  caller: CallerIdentity,
  { fromNumber, toNumber, isReply, attempts }: Pick<SmsMessage, 'toNumber' | 'isReply' | 'attempts'> & { fromNumber: string },
): Promise<string> {
  if (isReply || attempts > 0) return fromNumber;
  const where = { organizationId: caller.organizationId, number: fromNumber, kind: 'plain', releasedAt: null } as const;
  if ((await db.phoneNumber.count({ where })) > 0) return fromNumber;
  return (await findSenderNumber(db, caller, toNumber)) ?? fromNumber;
}

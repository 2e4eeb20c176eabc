import type { Db } from '../../database/database.ts';
import type { Caller } from '../caller.ts';
import { conflict } from '../errors.ts';
import { writeInstant } from '../values/time.ts';

/** Who is about to take part in what. */
export interface Booking {
  userIds: readonly number[];
  startsAt: Date;
  endsAt: Date;
  /** The appointment itself, which is not in its own way; null for a new one. */
  appointmentId: number | null;
  /** What the caller asked for that leads there: the field to name. */
  field: string;
}

/**
 * Makes sure that none of the users has another appointment at that time, nor gets one until the transaction ends: one
 * user's bookings take turns, so that of many for one slot all but the first find it taken. What comes past this, the
 * exclusion constraint decides.
 * @throws Failure conflict that names the user and the slot that is taken
 */
export async function holdSlot(db: Db, caller: Caller, booking: Booking): Promise<void> {
  // In one order, so that two bookings of the same people do not wait for each other.
  await db.$executeRaw`
    SELECT pg_advisory_xact_lock(${caller.organizationId}::int, users.id) FROM unnest(${[...booking.userIds]}::int[]) AS users (id) ORDER BY users.id`;
  await findSlotFree(db, caller, booking);
}

/** As holdSlot, without waiting for anybody or keeping anybody waiting: whom it refuses need not ask further. */
export async function findSlotFree(
  db: Db,
  { organizationId }: Caller,
  { userIds, startsAt, endsAt, appointmentId, field }: Booking,
): Promise<void> {
  const [taken] = await db.$queryRaw<{ userId: number; startsAt: Date; endsAt: Date }[]>`
    SELECT user_id AS "userId", starts_at AS "startsAt", ends_at AS "endsAt"
      FROM user_appointment
     WHERE organization_id = ${organizationId} AND user_id = ANY (${[...userIds]}::int[])
       AND exclusive AND starts_at IS NOT NULL AND tstzrange(starts_at, ends_at) && tstzrange(${startsAt}, ${endsAt})
       AND appointment_id IS DISTINCT FROM ${appointmentId}::int
     ORDER BY starts_at, user_id
     LIMIT 1`;
  if (!taken) return;
  const slot = `${writeInstant(taken.startsAt)} to ${writeInstant(taken.endsAt)}`;
  throw conflict('double_booked', `User ${taken.userId} has another appointment from ${slot}.`, field);
}

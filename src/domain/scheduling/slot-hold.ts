import type { Db } from '../../database/database.ts';
import type { Caller } from '../caller.ts';
import { conflict } from '../errors.ts';
import { writeInstant } from '../values/time.ts';

/** A time that users are to be booked for. */
export interface Slot {
  userIds: readonly number[];
  startsAt: Date;
  endsAt: Date;
  /** The appointment to be booked, which does not conflict with itself; null for a new one. */
  appointmentId: number | null;
  /** The field of the input that an error names. */
  field: string;
}

/**
 * Holds a slot until the transaction ends, if it is free: an advisory lock on each user makes bookings of one user follow
 * one another, so that of many bookings for one slot all but the first find it occupied. An exclusion constraint of the
 * database guards the rest.
 * @throws Failure conflict that names the user and the appointment's time
 */
export async function holdSlot(db: Db, caller: Caller, slot: Slot): Promise<void> {
  // All bookings lock in the same order, against deadlocks.
  await db.$executeRaw`
    SELECT pg_advisory_xact_lock(${caller.organizationId}::int, users.id) FROM unnest(${[...slot.userIds]}::int[]) AS users (id) ORDER BY users.id`;
  await requireFreeSlot(db, caller, slot);
}

/** Looks whether a slot is free, without a lock: a cheap check before other work. @throws Failure conflict as holdSlot */
export async function requireFreeSlot(
  db: Db,
  { organizationId }: Caller,
  { userIds, startsAt, endsAt, appointmentId, field }: Slot,
): Promise<void> {
  const [overlap] = await db.$queryRaw<{ userId: number; startsAt: Date; endsAt: Date }[]>`
    SELECT user_id AS "userId", starts_at AS "startsAt", ends_at AS "endsAt"
      FROM user_appointment
     WHERE organization_id = ${organizationId} AND user_id = ANY (${[...userIds]}::int[])
       AND exclusive AND starts_at IS NOT NULL AND tstzrange(starts_at, ends_at) && tstzrange(${startsAt}, ${endsAt})
       AND appointment_id IS DISTINCT FROM ${appointmentId}::bigint
     ORDER BY starts_at, user_id
     LIMIT 1`;
  if (!overlap) return;
  const time = `${writeInstant(overlap.startsAt)} to ${writeInstant(overlap.endsAt)}`;
  throw conflict('double_booked', `User ${overlap.userId} has another appointment from ${time}.`, field);
}

import type { Prepared } from '../../database/statements/statement.ts';
import type { Caller } from '../caller.ts';
import { conflict } from '../errors.ts';
import { writeInstant } from '../values/time.ts';
import { LOCK_CALENDARS, OVERLAP } from './booking.sql.ts';

/** A time that users are to be booked for. */
export interface Slot {
  userIds: readonly number[];
  startsAt: Date;
  endsAt: Date;
  /** The appointment to be booked, which does not conflict with itself; NONE for a new one. */
  appointmentId: number;
  /** The field of the input that an error names. */
  field: string;
}

/**
 * Holds a slot until the transaction ends, if it is free: an advisory lock on each user makes bookings of one user follow
 * one another, so that of many bookings for one slot all but the first find it occupied. An exclusion constraint of the
 * database guards the rest.
 * @throws Failure conflict that names the user and the appointment's time
 */
export async function holdSlot({ rows }: Prepared, { organizationId }: Caller, slot: Slot): Promise<void> {
  const { userIds, startsAt, endsAt, appointmentId, field } = slot;
  const [, [overlap]] = await Promise.all([
    rows(LOCK_CALENDARS, [organizationId, userIds]),
    rows(OVERLAP, [organizationId, userIds, startsAt, endsAt, appointmentId]),
  ]);
  if (!overlap) return;
  const time = `${writeInstant(overlap.startsAt)} to ${writeInstant(overlap.endsAt)}`;
  throw conflict('double_booked', `User ${overlap.userId} has another appointment from ${time}.`, field);
}

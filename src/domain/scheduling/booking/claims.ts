import type { Caller } from '../../caller.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { LOCK_CALENDARS } from '../appointment/booking.sql.ts';
import { BUSY, LONGEST_APPOINTMENT_MS, toBusy } from '../free-time/free-time.sql.ts';
import { placesLeft } from '../free-time/free-time.ts';
import type { Booker } from '../free-time/opening-hours.ts';
import {
  ADD_CLAIM,
  BOOK_CLAIM,
  CLAIM_BY_ID,
  CLAIMS_OF_SLOT,
  type ClaimRow,
  END_CLAIMS,
  END_HOLDS,
  EXTEND_HOLD,
  LOCK_SLOT,
  OTHER_HOLDS,
  type SlotRow,
} from '../free-time/slots.sql.ts';
import { toBooker } from '../free-time/slots.ts';

const MINUTE_MS = 60_000;

/** Minutes of a hold. */
export const HOLD_MINUTES = { usual: 5, most: 30 } as const;

/** Slots that one holder holds at the same time, at most: a portal holds for all of its patients. */
const MOST_HOLDS = 200;

/** The holder of a slot that the practice keeps free. */
const FROZEN = 'frozen';

/** A slot that somebody has claimed: until its end, or for good by an appointment. */
export interface Claim {
  id: number;
  slot: SlotRow;
  expiresAt: Date | null;
  /** That was booked in it, and its patient. */
  appointmentId: number | null;
  patientId: number | null;
}

/** The one who claims a slot: the caller, unless a page acts for somebody. */
export interface Claimant {
  holder: string;
  by: Booker;
}

const toClaimant = (caller: Caller): Claimant => ({ holder: caller.actor, by: toBooker(caller) });

/**
 * Holds a slot for some minutes. Asked for again by its holder, the hold goes on from now.
 * @throws Failure not_found for an id that was not shown within a day; conflict for a slot that is taken or over, and for too many holds
 */
export async function holdSlot(tx: Tx, slotId: number, minutes: number, claimant = toClaimant(tx)): Promise<Claim> {
  const expiresAt = new Date(Date.now() + minutes * MINUTE_MS);
  const [[others], claim] = await Promise.all([
    tx.rows(OTHER_HOLDS, [slotId, claimant.holder]),
    claimSlot(tx, slotId, claimant, expiresAt),
  ]);
  if (others && others.count >= MOST_HOLDS)
    throw conflict('too_many_holds', `At most ${MOST_HOLDS} slots can be held by one caller. Release one.`);
  if (claim.expiresAt?.getTime() !== expiresAt.getTime()) tx.later(EXTEND_HOLD, [claim.id, expiresAt]);
  return { ...claim, expiresAt };
}

/** Ends a hold before its time. @throws Failure not_found, also for somebody else's */
export async function releaseHold(tx: Tx, holdId: number, { holder } = toClaimant(tx)): Promise<void> {
  const hold = await findHold(tx, holdId, holder);
  if (hold.appointmentId !== null) throw conflict('hold_booked', 'The hold was booked. Cancel the appointment instead.');
  await tx.rows(END_CLAIMS, [hold.slotId, holder]);
}

async function findHold(tx: Tx, holdId: number, holder: string, field?: string): Promise<ClaimRow> {
  const [hold] = await tx.rows(CLAIM_BY_ID, [holdId]);
  if (!hold || hold.holder !== holder) throw notFound('hold', field);
  return hold;
}

/** The slot of an appointment by the hold that a caller has on it. @throws Failure not_found for no hold of theirs; conflict for one that is over */
export async function takeHold(tx: Tx, holdId: number, { holder } = toClaimant(tx)): Promise<Claim> {
  const { slotId } = await findHold(tx, holdId, holder, 'holdId');
  const slot = await lockSlot(tx, slotId);
  // After the lock: the slot may have been booked meanwhile.
  const { isOver, ...hold } = await findHold(tx, holdId, holder, 'holdId');
  if (isOver) throw conflict('hold_expired', 'The hold has expired. Hold the slot again.', 'holdId');
  return { ...hold, slot };
}

/** An appointment that may be in a slot already: the one that moves there, or one of its patient. */
export interface Occupant {
  appointmentId?: number;
  patientId?: number | null;
}

/**
 * Claims the slot of an appointment by its id, and locks it and its provider's calendar until the transaction ends. Where the occupant has it
 * already, the claim has the `appointmentId`.
 * @throws Failure as holdSlot
 */
export async function takeSlot(tx: Tx, slotId: number, occupant: Occupant, claimant = toClaimant(tx)): Promise<Claim> {
  return claimSlot(tx, slotId, { ...claimant, ...occupant }, new Date(Date.now() + MINUTE_MS));
}

/** Gives a claimed slot to its appointment, before its participants are added: the trigger user_appointment_times asks for it. */
export function bookClaim(tx: Tx, { id }: Claim, appointmentId: number): void {
  tx.later(BOOK_CLAIM, [id, appointmentId]);
}

async function lockSlot(tx: Tx, slotId: number): Promise<SlotRow> {
  const [slot] = await tx.rows(LOCK_SLOT, [slotId]);
  if (!slot) throw notFound('slot', 'slotId');
  return slot;
}

/** Claims a seat of a slot, whose provider's calendar is locked until the transaction ends. */
async function claimSlot(tx: Tx, slotId: number, claimant: Claimant & Occupant, expiresAt: Date): Promise<Claim> {
  const slot = await lockSlot(tx, slotId);
  const needed = neededBy(slot);
  // Sent in this order in one flush: the reads see what the lock waited for.
  const [, , claims, busy] = await Promise.all([
    tx.rows(LOCK_CALENDARS, [listCalendars(slot.providerId, slot.userId === null ? [] : [slot.userId])]),
    tx.rows(END_HOLDS, [slot.providerId]),
    tx.rows(CLAIMS_OF_SLOT, [slotId]),
    tx.rows(BUSY, [[slot.providerId], new Date(needed.from - LONGEST_APPOINTMENT_MS), new Date(needed.until)]),
  ]);
  const own = claims.find((one) => isClaimedBy(one, claimant));
  if (own) return { ...own, slot };
  requireBookable(slot, claimant.by);
  const { officeId, typeId, capacity } = slot;
  const group = { start: slot.startsAt.getTime(), officeId, typeId: typeId === 0 ? null : typeId };
  const seat = listSeats(capacity).find((free) => claims.every((one) => one.seat !== free));
  if (seat === undefined || placesLeft(toBusy(busy), needed, capacity, group) === 0)
    throw conflict('slot_taken', 'The slot is taken.', 'slotId');
  const claim = [slotId, seat, slot.providerId, new Date(needed.from), new Date(needed.until), claimant.holder, expiresAt];
  const [added] = await tx.rows(ADD_CLAIM, claim);
  if (!added) throw new Error('the claim of a slot got no id');
  return { id: added.id, slot, expiresAt, appointmentId: null, patientId: null };
}

function isClaimedBy(claim: ClaimRow, { holder, appointmentId, patientId = null }: Claimant & Occupant): boolean {
  if (claim.appointmentId === null) return claim.holder === holder;
  return claim.appointmentId === appointmentId || (patientId !== null && claim.patientId === patientId);
}

const listSeats = (capacity: number): number[] => Array.from({ length: capacity }, (_, seat) => seat);

/** The keys under which calendars are locked: providers have the negative ones. */
export const listCalendars = (providerId: number | null, userIds: readonly number[]): number[] => [
  ...(providerId === null ? [] : [-providerId]),
  ...userIds,
];

const neededBy = ({ startsAt, endsAt, type }: SlotRow) => ({
  from: startsAt.getTime() - (type?.bufferBefore ?? 0) * MINUTE_MS,
  until: endsAt.getTime() + (type?.bufferAfter ?? 0) * MINUTE_MS,
});

/** @throws Failure conflict for a slot that has begun, or is not for the caller to book */
function requireBookable({ startsAt, type }: SlotRow, by: Booker): void {
  if (startsAt.getTime() <= Date.now()) throw conflict('slot_over', 'The slot has begun.', 'slotId');
  if (type?.bookableBy.includes(by) === false) throw conflict('not_bookable', 'You cannot book appointments of this type.', 'slotId');
}

/**
 * Keeps a slot free, or lets it be booked again.
 * @returns whether it was not so before
 * @throws Failure as holdSlot, also for one that is held or booked
 */
export async function freezeSlot(tx: Tx, slotId: number, frozen: boolean): Promise<boolean> {
  if (!frozen) {
    await lockSlot(tx, slotId);
    return (await tx.rows(END_CLAIMS, [slotId, FROZEN])).length > 0;
  }
  const { id, expiresAt } = await claimSlot(tx, slotId, { holder: FROZEN, by: 'staff' }, new Date());
  tx.later(EXTEND_HOLD, [id, null]);
  return expiresAt !== null;
}

import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import type { SlotOffer } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Claimant } from '../booking/claims.ts';
import { END_CLAIMS } from '../free-time/slots.sql.ts';
import { bookAtLink } from './booking-links.ts';

export type { SlotOffer };

export const holderOfOffer = (id: number): Claimant => ({ holder: `offer:${id}`, by: 'patient' });

/** An offer, locked until the transaction ends. */
async function lockOffer(db: Db, { organizationId }: Caller, id: number): Promise<SlotOffer | null> {
  await db.$queryRaw`SELECT FROM slot_offer WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  return db.slotOffer.findUnique({ where: { organizationId_id: { organizationId, id } } });
}

/** Ends an offer that nobody has answered, and its hold: the time is offered to the next one at once. @returns whether it was open */
export async function endOffer(db: Db, caller: Caller, id: number, state: 'declined' | 'expired' | 'withdrawn'): Promise<boolean> {
  const offer = await lockOffer(db, caller, id);
  if (offer?.state !== 'open') return false;
  await settle(db, caller, offer, { state });
  const { organizationId } = caller;
  await preparedIn(db).rows(END_CLAIMS, [organizationId, offer.slotId, holderOfOffer(id).holder]);
  recordChange(caller, 'update', { name: 'slot_offer.ended', id, changed: ['state'] }, [offer.patientId]);
  return true;
}

/**
 * Books the time of an offer for its patient, or moves the visit that they wanted to move. Asked for again, it is the same visit.
 * @returns the id of the visit
 * @throws Failure not_found; conflict for an offer that is over; as scheduleAppointment
 */
export async function acceptOffer(db: Db, caller: Caller, id: number): Promise<number> {
  const { organizationId } = caller;
  const offer = await lockOffer(db, caller, id);
  if (!offer) throw notFound('offer');
  if (offer.state === 'accepted' && offer.appointmentId !== null) return offer.appointmentId;
  if (!isOpen(offer)) throw conflict('offer_over', 'The time has been offered to somebody else.');
  const link = await db.bookingLink.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id: offer.linkId } } });
  const appointmentId = await bookAtLink(db, caller, link, offer.holdId, holderOfOffer(id));
  await settle(db, caller, offer, { state: 'accepted', appointmentId });
  const booked = { status: 'booked', appointmentId } as const;
  await db.waitlistEntry.update({ where: { organizationId_id: { organizationId, id: offer.entryId } }, data: booked });
  recordChange(caller, 'update', { name: 'slot_offer.accepted', id, changed: ['state', 'appointmentId'] }, [offer.patientId]);
  recordChange(caller, 'update', { name: 'waitlist_entry.updated', id: offer.entryId, changed: Object.keys(booked) }, [offer.patientId]);
  return appointmentId;
}

/** Whether the time is still held for the patient. */
export const isOpen = ({ state, expiresAt }: Pick<SlotOffer, 'state' | 'expiresAt'>): boolean => state === 'open' && expiresAt > new Date();

async function settle(
  db: Db,
  { organizationId }: Caller,
  { id, freedTimeId }: SlotOffer,
  data: Partial<Pick<SlotOffer, 'state' | 'appointmentId'>>,
): Promise<void> {
  const answeredAt = new Date();
  await db.slotOffer.update({ where: { organizationId_id: { organizationId, id } }, data: { ...data, answeredAt }, select: { id: true } });
  if (freedTimeId !== null) await db.freedTime.updateMany({ where: { organizationId, id: freedTimeId }, data: { dueAt: answeredAt } });
}

import type { SlotOffer } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import type { Claimant } from '../booking/claims.ts';
import { END_CLAIMS } from '../free-time/slots.sql.ts';
import { bookAtLink } from './booking-links.ts';

export type { SlotOffer };

export const holderOfOffer = (id: number): Claimant => ({ holder: `offer:${id}`, by: 'patient' });

/** An offer, locked until the transaction ends. */
async function lockOffer(tx: Tx, id: number): Promise<SlotOffer | null> {
  await tx.prisma.$queryRaw`SELECT FROM slot_offer WHERE organization_id = ${tx.organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  return tx.prisma.slotOffer.findUnique({ where: tx.key(id) });
}

/** Ends an offer that nobody has answered, and its hold: the time is offered to the next one at once. @returns whether it was open */
export async function endOffer(tx: Tx, id: number, state: 'declined' | 'expired' | 'withdrawn'): Promise<boolean> {
  const offer = await lockOffer(tx, id);
  if (offer?.state !== 'open') return false;
  await settle(tx, offer, { state });
  await tx.rows(END_CLAIMS, [offer.slotId, holderOfOffer(id).holder]);
  recordChange(tx, 'update', { name: 'slot_offer.ended', id, changed: ['state'] }, [offer.patientId]);
  return true;
}

/**
 * Books the time of an offer for its patient, or moves the visit that they wanted to move. Asked for again, it is the same visit.
 * @returns the id of the visit
 * @throws Failure not_found; conflict for an offer that is over; as scheduleAppointment
 */
export async function acceptOffer(tx: Tx, id: number): Promise<number> {
  const offer = await lockOffer(tx, id);
  if (!offer) throw notFound('offer');
  if (offer.state === 'accepted' && offer.appointmentId !== null) return offer.appointmentId;
  if (!isOpen(offer)) throw conflict('offer_over', 'The time has been offered to somebody else.');
  const link = await tx.prisma.bookingLink.findUniqueOrThrow({ where: tx.key(offer.linkId) });
  const appointmentId = await bookAtLink(tx, link, offer.holdId, holderOfOffer(id));
  await settle(tx, offer, { state: 'accepted', appointmentId });
  const booked = { status: 'booked', appointmentId } as const;
  await tx.prisma.waitlistEntry.update({ where: tx.key(offer.entryId), data: booked });
  recordChange(tx, 'update', { name: 'slot_offer.accepted', id, changed: ['state', 'appointmentId'] }, [offer.patientId]);
  recordChange(tx, 'update', { name: 'waitlist_entry.updated', id: offer.entryId, changed: Object.keys(booked) }, [offer.patientId]);
  return appointmentId;
}

/** Whether the time is still held for the patient. */
export const isOpen = ({ state, expiresAt }: Pick<SlotOffer, 'state' | 'expiresAt'>): boolean => state === 'open' && expiresAt > new Date();

async function settle(tx: Tx, { id, freedTimeId }: SlotOffer, data: Partial<Pick<SlotOffer, 'state' | 'appointmentId'>>): Promise<void> {
  const answeredAt = new Date();
  await tx.prisma.slotOffer.update({ where: tx.key(id), data: { ...data, answeredAt }, select: { id: true } });
  if (freedTimeId !== null)
    await tx.prisma.freedTime.updateMany({ where: { ...tx.practice, id: freedTimeId }, data: { dueAt: answeredAt } });
}

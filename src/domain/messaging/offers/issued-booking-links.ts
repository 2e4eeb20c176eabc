import type { BookingLink } from '../../../generated/prisma/client.ts';
import { recordChange, recordListed } from '../../audit/journal-entries.ts';
import { notFound } from '../../errors.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import { endOffer } from '../../scheduling/patient-booking/offers.ts';
import type { Tx } from '../../tx.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { withdrawText } from '../sending/outgoing-texts.ts';

/** The booking links of a patient that were not revoked, newest first, also those of offers. @throws Failure not_found for the patient */
export async function listBookingLinks(tx: Tx, patientId: number, page: PageRequest): Promise<Page<BookingLink>> {
  await findPatient(tx, patientId);
  const where = { ...tx.practice, patientId, revokedAt: null };
  const [items, total] = await Promise.all([
    tx.prisma.bookingLink.findMany({ where, orderBy: { id: 'desc' }, ...window(page) }),
    tx.prisma.bookingLink.count({ where }),
  ]);
  recordListed(tx, 'booking_link', items);
  return { ...page, items, total };
}

/**
 * Revokes a link, which opens nothing from then on. What was booked at it stays; a time that is offered at it is passed on.
 * @throws Failure not_found, also for one that was revoked before
 */
export async function revokeBookingLink(tx: Tx, patientId: number, id: number): Promise<void> {
  await findPatient(tx, patientId);
  const { organizationId } = tx;
  await tx.prisma.$queryRaw`SELECT FROM booking_link WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const link = await tx.prisma.bookingLink.findFirst({ where: { organizationId, id, patientId, revokedAt: null } });
  if (!link) throw notFound('booking link');
  const offer = await tx.prisma.slotOffer.findFirst({ where: { organizationId, linkId: id, state: 'open' }, select: { id: true } });
  if (offer) await endOffer(tx, offer.id, 'withdrawn');
  if (link.smsMessageId !== null) await withdrawText(tx, link.smsMessageId);
  const data = { revokedAt: new Date(), dueAt: null };
  await tx.prisma.bookingLink.update({ where: tx.key(id), data, select: { id: true } });
  recordChange(tx, 'delete', { name: 'booking_link.revoked', id }, [patientId]);
}

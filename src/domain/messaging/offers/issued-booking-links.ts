import type { Db } from '../../../database/database.ts';
import type { BookingLink } from '../../../generated/prisma/client.ts';
import { recordChange, recordListed } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import { endOffer } from '../../scheduling/patient-booking/offers.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { withdrawText } from '../sending/outgoing-texts.ts';

/** The booking links of a patient that were not revoked, newest first, also those of offers. @throws Failure not_found for the patient */
export async function listBookingLinks(db: Db, caller: Caller, patientId: number, page: PageRequest): Promise<Page<BookingLink>> {
  await findPatient(db, caller, patientId);
  const where = { organizationId: caller.organizationId, patientId, revokedAt: null };
  const [items, total] = await Promise.all([
    db.bookingLink.findMany({ where, orderBy: { id: 'desc' }, ...window(page) }),
    db.bookingLink.count({ where }),
  ]);
  recordListed(caller, 'booking_link', items);
  return { ...page, items, total };
}

/**
 * Revokes a link, which opens nothing from then on. What was booked at it stays; a time that is offered at it is passed on.
 * @throws Failure not_found, also for one that was revoked before
 */
export async function revokeBookingLink(db: Db, caller: Caller, patientId: number, id: number): Promise<void> {
  await findPatient(db, caller, patientId);
  const { organizationId } = caller;
  await db.$queryRaw`SELECT FROM booking_link WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const link = await db.bookingLink.findFirst({ where: { organizationId, id, patientId, revokedAt: null } });
  if (!link) throw notFound('booking link');
  const offer = await db.slotOffer.findFirst({ where: { organizationId, linkId: id, state: 'open' }, select: { id: true } });
  if (offer) await endOffer(db, caller, offer.id, 'withdrawn');
  if (link.smsMessageId !== null) await withdrawText(db, caller, link.smsMessageId);
  const data = { revokedAt: new Date(), dueAt: null };
  await db.bookingLink.update({ where: { organizationId_id: { organizationId, id } }, data, select: { id: true } });
  recordChange(caller, 'delete', { name: 'booking_link.revoked', id }, [patientId]);
}

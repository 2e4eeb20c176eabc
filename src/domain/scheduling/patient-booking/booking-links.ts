import type { Db } from '../../../database/database.ts';
import type { BookingLink } from '../../../generated/prisma/client.ts';
import type { Caller } from '../../caller.ts';
import { nowIn } from '../../values/test-practices.ts';
import { changeAppointment } from '../booking/appointments.ts';
import { scheduleAppointment } from '../booking/booking.ts';
import { type Claimant, takeHold } from '../booking/claims.ts';
import { inputForProvider } from '../hours/reassign.ts';

export type { BookingLink };

/** The visit of a link that is to come and was not cancelled, if there is one. */
export async function findVisitOfLink(
  db: Db,
  { organizationId }: Caller,
  { appointmentId, patientId }: BookingLink,
): Promise<number | null> {
  if (appointmentId === null) return null;
  const where = { organizationId, id: appointmentId, patientId, status: 'scheduled', startsAt: { gt: nowIn(organizationId) } } as const;
  return (await db.appointment.findFirst({ where, select: { id: true } }))?.id ?? null;
}

/**
 * Books the visit of a link in a slot that is held, or moves it there.
 * @returns the id of the visit
 * @throws Failure as scheduleAppointment and changeAppointment
 */
export async function bookAtLink(db: Db, caller: Caller, link: BookingLink, holdId: number, claimant: Claimant): Promise<number> {
  const { organizationId, id, patientId } = link;
  const { slot } = await takeHold(db, caller, holdId, claimant);
  const visit = await findVisitOfLink(db, caller, link);
  if (visit !== null)
    await changeAppointment(db, caller, visit, { holdId, ...(await inputForProvider(db, caller, visit, slot.providerId)) }, claimant);
  const appointmentId = visit ?? (await scheduleAppointment(db, caller, { patientId, holdId }, claimant)).id;
  await db.bookingLink.update({ where: { organizationId_id: { organizationId, id } }, data: { appointmentId }, select: { id: true } });
  return appointmentId;
}

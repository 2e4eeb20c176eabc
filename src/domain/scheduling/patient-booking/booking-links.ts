import type { BookingLink } from '../../../generated/prisma/client.ts';
import type { Tx } from '../../tx.ts';
import { nowIn } from '../../values/test-practices.ts';
import { changeAppointment } from '../booking/appointments.ts';
import { scheduleAppointment } from '../booking/booking.ts';
import { type Claimant, takeHold } from '../booking/claims.ts';
import { inputForProvider } from '../hours/reassign.ts';

export type { BookingLink };

/** The visit of a link that is to come and was not cancelled, if there is one. */
export async function findAppointmentOfLink(tx: Tx, { appointmentId, patientId }: BookingLink): Promise<number | null> {
  const { organizationId } = tx;
  if (appointmentId === null) return null;
  const where = { organizationId, id: appointmentId, patientId, status: 'scheduled', startsAt: { gt: nowIn(organizationId) } } as const;
  return (await tx.prisma.appointment.findFirst({ where, select: { id: true } }))?.id ?? null;
}

/**
 * Books the visit of a link in a slot that is held, or moves it there.
 * @returns the id of the visit
 * @throws Failure as scheduleAppointment and changeAppointment
 */
export async function bookAtLink(tx: Tx, link: BookingLink, holdId: number, claimant: Claimant): Promise<number> {
  const { organizationId, id, patientId } = link;
  const { slot } = await takeHold(tx, holdId, claimant);
  const visit = await findAppointmentOfLink(tx, link);
  if (visit !== null) await changeAppointment(tx, visit, { holdId, ...(await inputForProvider(tx, visit, slot.providerId)) }, claimant);
  const appointmentId = visit ?? (await scheduleAppointment(tx, { patientId, holdId }, claimant)).id;
  await tx.prisma.bookingLink.update({
    where: { organizationId_id: { organizationId, id } },
    data: { appointmentId },
    select: { id: true },
  });
  return appointmentId;
}

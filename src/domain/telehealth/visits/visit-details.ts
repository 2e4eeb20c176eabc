import type { LinkPractice } from '../../practices/link-practice.ts';
import type { Tx } from '../../tx.ts';
import { fullName } from '../../values/person-names.ts';
import { formatPhone } from '../../values/phone-numbers.ts';
import { type AppointmentTime, appointmentTime, WITH_TIME } from '../sessions/appointment-times.ts';

export interface VisitDetails {
  /** Name of the user whom one is to meet; null in a waiting room of nobody. */
  host: string | null;
  appointment: AppointmentTime | null;
  /** The telephone number of the practice, written for people. */
  phone: string | null;
}

export async function readVisitDetails(
  tx: Tx,
  { phone }: Pick<LinkPractice, 'phone'>,
  { hostUserId, appointmentId }: { hostUserId: number | null; appointmentId: number | null },
): Promise<VisitDetails> {
  const host =
    hostUserId === null
      ? null
      : await tx.prisma.user.findUnique({
          where: tx.key(hostUserId),
          select: { firstName: true, lastName: true },
        });
  const appointment =
    appointmentId === null ? null : await tx.prisma.appointment.findUnique({ where: tx.key(appointmentId), select: WITH_TIME });
  return { host: host && fullName(host), appointment: appointmentTime(appointment), phone: phone && formatPhone(phone) };
}

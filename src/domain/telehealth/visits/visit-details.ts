import type { Db } from '../../../database/database.ts';
import type { Caller } from '../../caller.ts';
import type { LinkPractice } from '../../practices/link-practice.ts';
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
  db: Db,
  { organizationId }: Caller,
  { phone }: Pick<LinkPractice, 'phone'>,
  { hostUserId, appointmentId }: { hostUserId: number | null; appointmentId: number | null },
): Promise<VisitDetails> {
  const host =
    hostUserId === null
      ? null
      : await db.user.findUnique({
          where: { organizationId_id: { organizationId, id: hostUserId } },
          select: { firstName: true, lastName: true },
        });
  const appointment =
    appointmentId === null
      ? null
      : await db.appointment.findUnique({ where: { organizationId_id: { organizationId, id: appointmentId } }, select: WITH_TIME });
  return { host: host && fullName(host), appointment: appointmentTime(appointment), phone: phone && formatPhone(phone) };
}

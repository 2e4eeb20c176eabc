import { Prisma } from '../../../generated/prisma/client.ts';
import type { Tx } from '../../tx.ts';
import { openAppointment } from '../../values/appointment-status.ts';
import { nowIn } from '../../values/test-practices.ts';

/** The link is sent this long before the appointment starts. */
export const LEAD_SECONDS = 300;
/** Kind of the row in `appointment_reminder`, which exists at most once for each appointment. */
export const REMINDER_KIND = 'five_minutes';

/**
 * Notes that the patient of an appointment gets its link now. Does nothing more than five minutes before the start.
 * @returns whether this is the first time
 */
export async function noteLinkSent(tx: Tx, { id, patientId }: { id: number; patientId: number }): Promise<boolean> {
  const { organizationId } = tx;
  const now = nowIn(organizationId);
  const inserted = await tx.prisma.$executeRaw`
    INSERT INTO appointment_reminder (organization_id, appointment_id, kind, due_at, sent_at)
    SELECT ${organizationId}::int, a.id, ${REMINDER_KIND}, a.starts_at - make_interval(secs => ${LEAD_SECONDS}), now() FROM appointment a
     WHERE a.organization_id = ${organizationId} AND a.id = ${id} AND a.patient_id = ${patientId}
       AND ${Prisma.raw(openAppointment('a'))} AND a.confirmation <> 'No'
       AND a.starts_at > ${now}::timestamptz AND a.starts_at <= ${now}::timestamptz + make_interval(secs => ${LEAD_SECONDS})
    ON CONFLICT DO NOTHING`;
  return inserted > 0;
}

import { Prisma } from '../../../generated/prisma/client.ts';
import type { Caller } from '../../caller.ts';
import { guardianIn, patientHasNumber } from '../../patients/guardians/reached.sql.ts';
import type { Tx } from '../../tx.ts';
import { activeAppointment } from '../../values/appointment-status.ts';
import { nowIn } from '../../values/test-practices.ts';

/** Reasons for which a text about an appointment is not sent any more. Stored in rows, so the codes are stable. */
export type StaleReason =
  | 'appointment_cancelled'
  | 'appointment_missed'
  | 'appointment_changed'
  | 'patient_changed'
  | 'appointment_moved'
  | 'appointment_over'
  | 'declined'
  | 'number_changed';

const MESSAGE = Prisma.sql`LEFT JOIN visit_message r ON r.organization_id = v.organization_id AND r.sms_message_id = v.sms_message_id`;

/** The visit whose cancellation `r` tells is again. */
const RESTORED = Prisma.sql`(${Prisma.raw(activeAppointment('a'))} AND a.patient_id = r.patient_id AND a.starts_at = r.starts_at)`;

/**
 * The reason for which a text does not say the truth any more, of the appointment `a`, of `v`, as the text named it, and of `r`, the
 * message about a visit that it may be; null for none. Invites to its session may go to others than its patient.
 */
const staleReason = ({ organizationId }: Pick<Caller, 'organizationId'>) => Prisma.sql`CASE
       WHEN r.kind = 'cancelled' THEN CASE WHEN ${RESTORED} THEN 'appointment_changed' END
       WHEN r.kind = 'missed' AND a.status <> 'no_show' THEN 'appointment_changed'
       WHEN r.kind IS DISTINCT FROM 'missed' AND a.status = 'no_show' THEN 'appointment_missed'
       WHEN r.kind IS DISTINCT FROM 'missed' AND NOT ${Prisma.raw(activeAppointment('a'))} THEN 'appointment_cancelled'
       WHEN v.patient_id IS DISTINCT FROM a.patient_id AND NOT EXISTS (
            SELECT FROM session_invite i WHERE i.organization_id = ${organizationId} AND i.sms_message_id = v.sms_message_id)
            THEN 'patient_changed'
       WHEN v.starts_at <> a.starts_at OR (v.starts_at IS NOT NULL AND a.starts_at IS NULL) THEN 'appointment_moved'
       WHEN r.lead IS NOT NULL AND a.confirmation = 'No' THEN 'declined'
       WHEN (v.question IS NOT NULL OR r.kind IN ('booked', 'moved')) AND v.starts_at <= ${nowIn(organizationId)}::timestamptz THEN 'appointment_over' END`;

/**
 * The reason for which a text does not say the truth about an appointment any more, or says it to a number that one of the several
 * patients whom it names no longer has; null for none.
 */
export async function findStaleReason(tx: Tx, textId: number): Promise<StaleReason | null> {
  const found = await tx.prisma.$queryRaw<{ reason: StaleReason | null }[]>`
    SELECT coalesce(${staleReason(tx)},
                    CASE WHEN m.patient_id IS NULL AND p.id IS NOT NULL AND NOT (${Prisma.raw(patientHasNumber('m.to_number'))})
                         THEN 'number_changed' END) AS reason
      FROM text_appointment v
      JOIN sms_message m ON m.organization_id = v.organization_id AND m.id = v.sms_message_id
      JOIN appointment a ON a.organization_id = v.organization_id AND a.id = v.appointment_id
      LEFT JOIN patient p ON p.organization_id = v.organization_id AND p.id = v.patient_id
      ${guardianIn(tx.organizationId)}
      ${MESSAGE}
     WHERE v.organization_id = ${tx.organizationId} AND v.sms_message_id = ${textId}
     ORDER BY v.position, v.appointment_id`;
  return found.find(({ reason }) => reason !== null)?.reason ?? null;
}

/** A text that waits, and is not true any more. */
interface StaleText {
  id: number;
  /** Null where the appointment is as it was, but for what the text may say about it. */
  reason: StaleReason | null;
}

/** Texts about an appointment that nobody tried to send yet, in the order of their ids, with the reason for which they are not true. */
export async function listWaitingTexts(tx: Tx, appointmentId: number): Promise<StaleText[]> {
  return tx.prisma.$queryRaw<StaleText[]>`
    SELECT m.id, ${staleReason(tx)} AS reason
      FROM text_appointment v
      JOIN sms_message m ON m.organization_id = v.organization_id AND m.id = v.sms_message_id
      JOIN appointment a ON a.organization_id = v.organization_id AND a.id = v.appointment_id
      ${MESSAGE}
     WHERE v.organization_id = ${tx.organizationId} AND v.appointment_id = ${appointmentId} AND m.state = 'queued' AND m.attempts = 0
       AND (r.kind IS DISTINCT FROM 'cancelled' OR ${RESTORED})
     ORDER BY m.id`;
}

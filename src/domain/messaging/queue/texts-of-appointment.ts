import type { SmsMessage } from '../../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import type { Tx } from '../../tx.ts';
import { STORE_INITIAL_TEXT, type TextFacts } from './queued-texts.sql.ts';

type AppointmentText = Pick<SmsMessage, 'id' | 'appointmentId'>;

/**
 * Keeps on the appointment of a text whether its patient was told by text: true once the carrier accepted one that did not
 * fail later, false while every one waits, was suppressed or failed, null where there is none. Recorded where it changes.
 */
export async function recordInitialText(tx: Tx, { appointmentId }: AppointmentText): Promise<void> {
  if (appointmentId === null) return;
  const { organizationId } = tx;
  const [changed] = await tx.prisma.$queryRaw<{ patientId: number | null }[]>`
    UPDATE appointment a SET initial_sms_sent = told.sent, updated_at = now()
      FROM (SELECT bool_or(m.state IN ('sent', 'delivered')) AS sent
              FROM sms_message m JOIN appointment b ON b.organization_id = m.organization_id AND b.id = m.appointment_id
             WHERE m.organization_id = ${organizationId} AND m.appointment_id = ${appointmentId}
               AND m.direction = 'outbound' AND m.patient_id = b.patient_id) AS told
     WHERE a.organization_id = ${organizationId} AND a.id = ${appointmentId} AND a.initial_sms_sent IS DISTINCT FROM told.sent
    RETURNING a.patient_id AS "patientId"`;
  if (changed) recordInitial(tx, appointmentId, changed.patientId);
}

/** The same for a text that is stored now, of which nothing is known to have arrived. */
export function storeInitialText(tx: Tx, facts: TextFacts, { appointmentId, patientId }: SmsMessage): void {
  if (appointmentId === null) return;
  const told = facts.told ?? (patientId !== null && patientId === facts.appointmentPatientId ? false : null);
  if (told === facts.initialSmsSent) return;
  tx.later(STORE_INITIAL_TEXT, [appointmentId, told]);
  recordInitial(tx, appointmentId, facts.appointmentPatientId);
}

const recordInitial = (caller: Caller, id: number, patientId: number | null): void =>
  recordChange(caller, 'update', { name: 'appointment.changed', id, changed: ['initialSmsSent'] }, toPatientIds({ patientId }));

import type { Db } from '../../../database/database.ts';
import { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { CONFIRMATION_EVENTS, confirmationFields } from '../../scheduling/confirmation.ts';
import { activeAppointment } from '../../values/appointment-status.ts';
import { answerOf } from './keywords.ts';

/** A text that asked a patient to confirm an appointment. */
export interface ConfirmationQuestion {
  id: number;
  appointmentId: number;
  patientId: number | null;
}

/** The latest text to the number that asks for a yes or no, is unanswered, and whose appointment is still to come. */
export async function findOpenQuestion(db: Db, { organizationId }: Caller, number: string): Promise<ConfirmationQuestion | null> {
  const [question] = await db.$queryRaw<ConfirmationQuestion[]>`
    SELECT m.id, m.appointment_id AS "appointmentId", m.patient_id AS "patientId"
      FROM sms_message m
      JOIN sms_template t ON t.organization_id = m.organization_id AND t.id = m.template_id AND t.tracks_response
      JOIN appointment a ON a.organization_id = m.organization_id AND a.id = m.appointment_id
     WHERE m.organization_id = ${organizationId} AND m.to_number = ${number} AND m.direction = 'outbound'
       AND m.state IN ('queued', 'sent', 'delivered') AND m.attempts > 0 AND m.answered_at IS NULL
       AND ${Prisma.raw(activeAppointment('a'))} AND a.starts_at > now() AND a.patient_id = m.patient_id
     ORDER BY m.queued_at DESC, m.id DESC LIMIT 1
       FOR NO KEY UPDATE OF m, a`;
  return question ?? null;
}

/** Records the answer on the appointment. Any other text leaves the question open, for a person to read. */
export async function recordConfirmationAnswer(
  db: Db,
  caller: Caller,
  { id, appointmentId, patientId }: ConfirmationQuestion,
  body: string,
): Promise<void> {
  const answer = answerOf(body);
  if (answer === null) return;
  const { organizationId } = caller;
  await db.smsMessage.update({ where: { organizationId_id: { organizationId, id } }, data: { answeredAt: new Date() } });
  await db.appointment.update({
    where: { organizationId_id: { organizationId, id: appointmentId } },
    data: confirmationFields(answer, 'patient'),
    select: { id: true },
  });
  recordChange(caller, 'update', {
    name: CONFIRMATION_EVENTS[answer],
    subject: 'appointment',
    id: appointmentId,
    changed: ['confirmation'],
  });
  if (patientId !== null)
    caller.journal.audits.push({
      action: 'update',
      resource: 'patient',
      ids: [patientId],
      detail: `appointment ${appointmentId} answered`,
    });
}

import { statement } from '../../../database/statements/statement.ts';
import type { Appointment, MessageState, VisitMessage } from '../../../generated/prisma/client.ts';

export interface ToldAppointment
  extends Pick<Appointment, 'id' | 'status' | 'confirmation' | 'typeId' | 'timeZone' | 'patientId' | 'startsAt' | 'endsAt'> {
  /** When it got its patient and its present start. */
  bookedAt: Date;
}

/** Values: organization, appointment. */
export const TOLD_APPOINTMENT = statement<ToldAppointment>(
  'visit',
  `SELECT a.id, a.status, a.confirmation, a.type_id AS "typeId", a.time_zone AS "timeZone", a.patient_id AS "patientId",
          a.starts_at AS "startsAt", a.ends_at AS "endsAt", greatest(a.created_at, a.booked_at, a.rescheduled_at) AS "bookedAt"
     FROM appointment a WHERE a.organization_id = $1 AND a.id = $2`,
);

/** A message that was sent, or will not be, with what became of its text or mail. */
export interface DecidedMessage
  extends Pick<VisitMessage, 'id' | 'kind' | 'lead' | 'startsAt' | 'dueAt' | 'reason' | 'smsMessageId' | 'mailMessageId'> {
  state: MessageState | null;
  /** The reason for which it was not sent, or did not arrive. */
  outcome: string | null;
  notBefore: Date | null;
  sentAt: Date | null;
  attempts: number;
}

/** Of one patient. Values: organization, appointment, patient. */
export const DECIDED_MESSAGES = statement<DecidedMessage>(
  'decided_messages',
  `SELECT r.id, r.kind, r.lead, r.starts_at AS "startsAt", r.due_at AS "dueAt", r.reason, r.sms_message_id AS "smsMessageId",
          r.mail_message_id AS "mailMessageId", coalesce(m.state, l.state) AS state, coalesce(m.reason, l.reason) AS outcome,
          m.not_before AS "notBefore", coalesce(m.sent_at, l.sent_at) AS "sentAt", coalesce(m.attempts, l.attempts, 0) AS attempts
     FROM visit_message r
     LEFT JOIN sms_message m ON m.organization_id = r.organization_id AND m.id = r.sms_message_id
     LEFT JOIN mail_message l ON l.organization_id = r.organization_id AND l.id = r.mail_message_id
    WHERE r.organization_id = $1 AND r.appointment_id = $2 AND r.patient_id = $3
    ORDER BY r.due_at, r.id`,
);

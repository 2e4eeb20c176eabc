import { statement } from '../../../database/statements/statement.ts';
import { joinGuardian, patientHasNumber, selectReached } from '../../patients/guardians/reached.sql.ts';

/** A link that left to a number or an address which is no longer its patient's. */
export interface FormerLink {
  patientId: number;
  languageCode: string | null;
  /** E.164, or an email address. */
  sentTo: string;
}

/** Of check-ins, bookings and invites. Values: organization, hash of the link. */
export const FORMER_LINK = statement<FormerLink>(
  'former_link',
  `SELECT p.id AS "patientId", ${selectReached('language_code')} AS "languageCode", coalesce(m.to_number, e.to_address) AS "sentTo"
     FROM (SELECT c.patient_id, c.sms_message_id, c.mail_message_id FROM check_in c WHERE c.organization_id = $1 AND c.link_hash = $2
            UNION ALL
           SELECT b.patient_id, b.sms_message_id, b.mail_message_id FROM booking_link b WHERE b.organization_id = $1 AND b.link_hash = $2
            UNION ALL
           SELECT i.patient_id, i.sms_message_id, i.mail_message_id FROM session_invite i
            WHERE i.organization_id = $1 AND i.link_hash = $2 AND i.withdrawn_at IS NULL) AS l
     LEFT JOIN sms_message m ON m.organization_id = $1 AND m.id = l.sms_message_id AND m.own_number
     LEFT JOIN mail_message e ON e.organization_id = $1 AND e.id = l.mail_message_id AND e.own_address
     JOIN patient p ON p.organization_id = $1 AND p.id = l.patient_id AND p.status <> 'deleted' ${joinGuardian('$1')}
    WHERE (m.id IS NOT NULL AND NOT (${patientHasNumber('m.to_number')}))
       OR (m.id IS NULL AND e.id IS NOT NULL AND e.to_address IS DISTINCT FROM ${selectReached('email')})`,
);

import { statement } from '../../../database/statements/statement.ts';
import { joinGuardian, patientHasNumber, selectReached } from '../../patients/guardians/reached.sql.ts';

/** A link that left in a text to a number which is no longer its patient's. */
export interface FormerLink {
  patientId: number;
  languageCode: string | null;
  /** E.164. */
  sentTo: string;
}

/** Of check-ins, bookings and invites. Values: organization, hash of the link. */
export const FORMER_LINK = statement<FormerLink>(
  'former_link',
  `SELECT p.id AS "patientId", ${selectReached('language_code')} AS "languageCode", m.to_number AS "sentTo"
     FROM (SELECT c.patient_id, c.sms_message_id FROM check_in c WHERE c.organization_id = $1 AND c.link_hash = $2
            UNION ALL
           SELECT b.patient_id, b.sms_message_id FROM booking_link b WHERE b.organization_id = $1 AND b.link_hash = $2
            UNION ALL
           SELECT i.patient_id, i.sms_message_id FROM session_invite i
            WHERE i.organization_id = $1 AND i.link_hash = $2 AND i.withdrawn_at IS NULL) AS l
     JOIN sms_message m ON m.organization_id = $1 AND m.id = l.sms_message_id AND m.own_number
     JOIN patient p ON p.organization_id = $1 AND p.id = l.patient_id AND p.status <> 'deleted' ${joinGuardian('$1')}
    WHERE NOT (${patientHasNumber('m.to_number')})`,
);

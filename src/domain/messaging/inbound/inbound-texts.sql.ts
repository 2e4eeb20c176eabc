import { statement } from '../../../database/statements/statement.ts';
import { joinGuardian, patientHasNumber } from '../../patients/guardians/reached.sql.ts';
import { numberStoppedTexts } from '../../patients/number-stopped-texts.sql.ts';

/** All that decides what becomes of a text that comes in, besides its words and the questions to its number. */
export interface InboundFacts {
  /** It was stored before. */
  isKnown: boolean;
  /** Its number sent STOP last. */
  stopped: boolean;
  /** The call group of the number that it came to. */
  chatId: number | null;
  /** The patient of the latest text to its number, if that was less than a day ago and the number is still the patient's. */
  lastAddressed: number | null;
}

/** Values: organization, the carrier's id, number of the sender, number of the practice. */
export const INBOUND_FACTS = statement<InboundFacts>(
  'inbound_facts',
  `SELECT EXISTS (SELECT FROM sms_message k WHERE k.organization_id = $1 AND k.carrier_id = $2) AS "isKnown",
          ${numberStoppedTexts('$1', '$3::text')} AS stopped,
          (SELECT n.chat_id FROM phone_number n WHERE n.organization_id = $1 AND n.number = $4 AND n.released_at IS NULL LIMIT 1) AS "chatId",
          (SELECT p.id FROM (
             SELECT m.patient_id FROM sms_message m
              WHERE m.organization_id = $1 AND m.to_number = $3 AND m.direction = 'outbound' AND m.attempts > 0
                AND m.state IN ('queued', 'sent', 'delivered') AND m.queued_at > now() - interval '1 day'
              ORDER BY m.queued_at DESC, m.id DESC LIMIT 1) AS latest
             JOIN patient p ON p.organization_id = $1 AND p.id = latest.patient_id AND p.status <> 'deleted' ${joinGuardian('$1')}
            WHERE ${patientHasNumber('$3')}) AS "lastAddressed"`,
);

/** The pictures of a text, due to be fetched at once. Values: organization, text, their addresses at the carrier. */
export const ADD_PICTURES = statement<never>(
  'add_pictures',
  `INSERT INTO text_picture (organization_id, sms_message_id, carrier_url, due_at)
   SELECT $1::int, $2::bigint, u.url, now() FROM unnest($3::text[]) WITH ORDINALITY AS u (url, place) ORDER BY u.place`,
);

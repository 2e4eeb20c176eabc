import { statement } from '../../../database/statements/statement.ts';

/** Facts that decide whether a patient is asked about their language, or has just answered. */
export interface LanguageFacts {
  languageCode: string | null;
  /** The text that asked. */
  offerId: number | null;
  /** The latest text to the number, before this transaction. */
  latestId: number | null;
}

/** Locks the chart. Values: organization, patient, number. */
export const LANGUAGE_FACTS = statement<LanguageFacts>(
  'language_facts',
  `SELECT p.language_code AS "languageCode", p.language_offer_id AS "offerId",
          (SELECT m.id FROM sms_message m
            WHERE m.organization_id = $1 AND m.to_number = $3 AND m.direction = 'outbound' AND m.queued_at < now()
            ORDER BY m.queued_at DESC, m.id DESC LIMIT 1) AS "latestId"
     FROM patient p WHERE p.organization_id = $1 AND p.id = $2 FOR NO KEY UPDATE`,
);

/** Values: organization, patient, the text that asks. */
export const NOTE_OFFER = statement<never>(
  'note_language_offer',
  'UPDATE patient SET language_offer_id = $3::bigint WHERE organization_id = $1 AND id = $2',
);

/** Values: organization, patient, language. */
export const SET_LANGUAGE = statement<never>(
  'set_language',
  'UPDATE patient SET language_code = $3::text, updated_at = now() WHERE organization_id = $1 AND id = $2',
);

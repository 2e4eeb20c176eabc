import { statement } from '../../../database/statements/statement.ts';
import type { MeasuredItem } from './measured-items.sql.ts';

/** A check-in with its patient and its survey. */
export interface LinkedCheckIn {
  id: number;
  patientId: number;
  expiresAt: Date;
  answeredAt: Date | null;
  answers: unknown;
  firstName: string | null;
  lastName: string | null;
  languageCode: string | null;
  /** The chart was deleted, or the patient died. */
  isGone: boolean;
  /** It has the alert that it was missed, and nobody has closed it. */
  isMissed: boolean;
  survey: string | null;
  surveyLanguage: string | null;
  /** As stored, like the variants. */
  questions: unknown;
  variants: unknown;
  /** Those that the questions measure. */
  items: MeasuredItem[];
}

/** Values: organization, hash of the link. */
export const LINKED_CHECK_IN = statement<LinkedCheckIn>(
  'linked_check_in',
  `SELECT c.id, c.patient_id AS "patientId", c.expires_at AS "expiresAt", c.answered_at AS "answeredAt", c.answers,
          p.first_name AS "firstName", p.last_name AS "lastName", p.language_code AS "languageCode",
          p.status = 'deleted' OR p.deceased_date IS NOT NULL AS "isGone",
          EXISTS (SELECT FROM monitoring_alert n WHERE n.organization_id = $1 AND n.check_in_id = c.id
                     AND n.kind = 'missed_check_in' AND n.state <> 'closed') AS "isMissed", s.name AS survey, s.language AS "surveyLanguage",
          s.questions, s.variants,
          (SELECT coalesce(json_agg(json_build_object('id', i.id, 'name', i.name, 'unit', i.unit, 'plausibleMin', i.plausible_min,
                                                    'plausibleMax', i.plausible_max)), '[]') FROM item i
            WHERE i.organization_id = $1 AND s.questions @> jsonb_build_array(jsonb_build_object('itemId', i.id))) AS items
     FROM check_in c
     JOIN patient p ON p.organization_id = c.organization_id AND p.id = c.patient_id
     LEFT JOIN survey_type s ON s.organization_id = c.organization_id AND s.id = c.survey_type_id
    WHERE c.organization_id = $1 AND c.link_hash = $2`,
);

/** Values: organization, hash of the link. */
export const LOCK_CHECK_IN = statement<never>(
  'lock_check_in',
  'SELECT id FROM check_in WHERE organization_id = $1 AND link_hash = $2 FOR NO KEY UPDATE',
);

/** Values: organization, id, answers as JSON, time. */
export const STORE_ANSWERS = statement<never>(
  'store_answers',
  'UPDATE check_in SET answers = $3::jsonb, answered_at = $4::timestamptz WHERE organization_id = $1 AND id = $2',
);

import { type Statement, selectInstant, statement } from '../../../database/statements/statement.ts';
import { chartName } from './session-patients.sql.ts';

export interface ChatMessageRow {
  id: number;
  /** Number of the visit in its session; 0 before anybody was admitted. */
  visit: number;
  participant_id: number;
  role: string;
  user_id: number | null;
  patient_id: number | null;
  /** Of a patient, to the practice, the full name of the chart; else as the others in the room saw it. */
  name: string;
  /** Without a chart; so are hosts. */
  is_guest: boolean;
  text: string;
  /** ISO 8601 in UTC. */
  sent_at: string;
  /** Patients of the visit, and the one who wrote the message, for the audit. */
  patient_ids: number[];
}

/** Participant `o` is in the room of session `s`, in its present visit. */
const IN_PRESENT_VISIT = `o.admitted_at IS NOT NULL AND o.joined_at IS NOT NULL AND o.left_at IS NULL AND (o.role = 'host' OR o.visit = s.visit)`;

/**
 * Stores a message of somebody in the present visit, unless they have written too much in the last seconds. Values: organization,
 * session, participant, text; the visit that they saw, or null; seconds, and how many messages these may have.
 */
export const WRITE_MESSAGE: Statement<{ id: number }> = statement(
  'telehealth_write_chat_message',
  `INSERT INTO session_chat_message (organization_id, video_session_id, visit, participant_id, text)
   SELECT $1::int, o.video_session_id, s.visit, o.id, $4
     FROM session_participant o
     JOIN video_session s ON s.organization_id = o.organization_id AND s.id = o.video_session_id AND s.ended_at IS NULL
    WHERE o.organization_id = $1 AND o.video_session_id = $2 AND o.id = $3 AND ${IN_PRESENT_VISIT}
      AND ($5::int IS NULL OR s.visit = $5)
      AND (SELECT count(*) FROM session_chat_message m
            WHERE m.organization_id = $1 AND m.participant_id = $3 AND m.sent_at > now() - make_interval(secs => $6)) < $7
   RETURNING id`,
);

/** Whether a participant is in the present visit, and which it is. Values: organization, session, participant. */
export const PRESENT_VISIT: Statement<{ visit: number; present: boolean }> = statement(
  'telehealth_present_visit',
  `SELECT s.visit, s.ended_at IS NULL AND ${IN_PRESENT_VISIT} AS present
     FROM session_participant o JOIN video_session s ON s.organization_id = o.organization_id AND s.id = o.video_session_id
    WHERE o.organization_id = $1 AND o.video_session_id = $2 AND o.id = $3`,
);

const PATIENTS_OF_VISIT = `
  SELECT v.patient_id FROM session_participant v
   WHERE v.organization_id = $1 AND v.video_session_id = m.video_session_id AND v.visit = m.visit AND v.patient_id IS NOT NULL`;

/** @param isPractice condition: the reader is of the practice */
const columns = (
  isPractice: string,
) => `m.id, m.visit, m.participant_id, a.role, a.user_id, CASE WHEN p.restricted IS NOT TRUE THEN a.patient_id END AS patient_id,
         CASE WHEN p.restricted THEN $4 ELSE coalesce(u.first_name || ' ' || u.last_name, CASE WHEN ${isPractice} THEN ${chartName('p')} END, a.display_name, '') END AS name,
         a.patient_id IS NULL AS is_guest, m.text, ${selectInstant('m.sent_at')} AS sent_at,
         array_remove(array_append(array_remove(ARRAY(${PATIENTS_OF_VISIT}), a.patient_id), a.patient_id), NULL) AS patient_ids`;

const AUTHOR = `
    JOIN session_participant a ON a.organization_id = m.organization_id AND a.id = m.participant_id
    LEFT JOIN "user" u ON u.organization_id = a.organization_id AND u.id = a.user_id
    LEFT JOIN patient p ON p.organization_id = a.organization_id AND p.id = a.patient_id`;

/**
 * The messages of the present visit after an id, for a participant who is in it. Values: organization, session, participant, the name
 * that stands for a restricted patient's, id.
 */
export const NEW_MESSAGES: Statement<ChatMessageRow> = statement(
  'telehealth_new_chat_messages',
  `SELECT ${columns(`o.role = 'host'`)}
    FROM video_session s
    JOIN session_participant o ON o.organization_id = s.organization_id AND o.video_session_id = s.id AND o.id = $3 AND ${IN_PRESENT_VISIT}
    JOIN session_chat_message m ON m.organization_id = s.organization_id AND m.video_session_id = s.id AND m.visit = s.visit AND m.id > $5${AUTHOR}
   WHERE s.organization_id = $1 AND s.id = $2
   ORDER BY m.id`,
);

/** A visit with a restricted or blocked patient, whose messages are shown only to callers ($3) who may see such charts. */
const SHOWN = `m.organization_id = $1 AND m.video_session_id = $2 AND ($3::boolean OR NOT EXISTS (
      SELECT FROM patient r WHERE r.organization_id = $1 AND r.restricted AND r.id IN (${PATIENTS_OF_VISIT})))`;

/**
 * A page of the messages of a session, oldest first. Values: organization, session, whether messages of visits with restricted
 * patients are shown, the name that stands for a restricted patient's, limit, offset.
 */
export const CHAT_PAGE: Statement<ChatMessageRow> = statement(
  'telehealth_chat_page',
  `SELECT ${columns('true')} FROM session_chat_message m${AUTHOR} WHERE ${SHOWN} ORDER BY m.id LIMIT $5 OFFSET $6`,
);

/** Values: organization, session, whether messages of visits with restricted patients are shown. */
export const CHAT_COUNT: Statement<{ total: number }> = statement(
  'telehealth_chat_count',
  `SELECT count(*)::int AS total FROM session_chat_message m WHERE ${SHOWN}`,
);

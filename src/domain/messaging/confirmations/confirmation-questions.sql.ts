import { anyOf } from '../../../database/statements/any-of.ts';
import { statement } from '../../../database/statements/statement.ts';
import { joinGuardian, NAME_TO_GUARDIAN, patientHasNumber, selectReached } from '../../patients/guardians/reached.sql.ts';
import { activeAppointment } from '../../values/appointment-status.ts';
import type { ChoiceList, ConfirmationQuestion } from '../answers/answer-decision.ts';

/** Texts that may have been read: from the first attempt on the carrier may have them. */
const WENT_OUT = `m.direction = 'outbound' AND m.attempts > 0 AND m.state <> 'failed'`;
const ASKED_AT = 'coalesce(m.attempted_at, m.queued_at)';
/** The moment at which the patient wrote: what was said to the number later, the patient did not know. */
const AT = '$3::timestamptz';
/** The same moment by the clock of the practice, by which its visits are. */
const SHOWN_AT = '$4::timestamptz';
/** The carrier had taken the text, as far as is known. After an attempt that nothing was heard of, the text may have left or not. */
const WAS_TAKEN = `(m.state IN ('sent', 'delivered') AND coalesce(m.sent_at, ${ASKED_AT}) <= ${AT})`;

/** Texts from a number wait for each other until the transaction ends: each is stored once, and answers are read one by one. */
export const HOLD_NUMBER = statement<never>(
  'hold_number',
  `SELECT pg_advisory_xact_lock(hashtextextended(concat_ws(' ', 'answers', $1::int, $2::text), 0))::text`,
);

/**
 * The latest question to a number about each appointment that was to come then or is to come now, in the order of their times. One
 * that the patient was told is void is put again where the appointment is to come after all, and the patient's again. Without those to
 * patients who no longer have the number. Locks the appointments until the transaction ends. Values: organization, number, the moment at which the patient
 * wrote, and the same by the clock of the practice.
 */
export const QUESTIONS = statement<ConfirmationQuestion>(
  'questions',
  `WITH said AS (
     SELECT v.appointment_id, v.patient_id, v.starts_at, v.question, m.id, ${ASKED_AT} AS asked_at, m.updated_at,
            CASE WHEN ${WAS_TAKEN} THEN coalesce(m.sent_at, ${ASKED_AT}) END AS taken_at
       FROM sms_message m
       JOIN text_appointment v ON v.organization_id = m.organization_id AND v.sms_message_id = m.id AND v.starts_at IS NOT NULL
      WHERE m.organization_id = $1 AND m.to_number = $2 AND ${WENT_OUT} AND ${ASKED_AT} <= ${AT}),
   asked AS (
     SELECT DISTINCT ON (appointment_id) * FROM said WHERE question IS NOT NULL ORDER BY appointment_id, asked_at DESC, id DESC),
   known AS (
     SELECT DISTINCT ON (appointment_id) * FROM said WHERE taken_at IS NOT NULL ORDER BY appointment_id, taken_at DESC, id DESC)
   SELECT q.appointment_id AS "appointmentId", q.patient_id AS "patientId", ${selectReached('language_code')} AS "languageCode",
          CASE WHEN $2::text IN (w.mobile_phone, w.home_phone) THEN ${NAME_TO_GUARDIAN} END AS "nameToGuardian", q.id AS "textId",
          q.asked_at AS "askedAt", q.starts_at AS "toldStart",
          q.question <> 'closed' AND k.starts_at IS NOT DISTINCT FROM q.starts_at AND k.patient_id IS NOT DISTINCT FROM q.patient_id AND NOT EXISTS (
            SELECT FROM said s
             WHERE s.appointment_id = q.appointment_id AND s.taken_at IS NULL AND s.updated_at > k.taken_at
               AND (s.starts_at <> q.starts_at OR s.patient_id IS DISTINCT FROM q.patient_id)) AS told,
          q.question = 'answered' AS answered, a.confirmation, a.confirmed_at AS "confirmedAt", a.confirmed_by AS "confirmedBy",
          CASE WHEN NOT ${activeAppointment('a')} THEN 'cancelled'
               WHEN a.patient_id IS DISTINCT FROM q.patient_id OR a.starts_at IS NULL OR a.starts_at <= ${SHOWN_AT} THEN 'gone'
               WHEN a.starts_at <> q.starts_at THEN 'moved'
               ELSE 'live' END AS standing
     FROM asked q
     JOIN appointment a ON a.organization_id = $1 AND a.id = q.appointment_id
     LEFT JOIN known k ON k.appointment_id = q.appointment_id
     JOIN patient p ON p.organization_id = $1 AND p.id = q.patient_id ${joinGuardian('$1')}
    WHERE (${patientHasNumber('$2')}) AND CASE WHEN q.question = 'closed'
               THEN ${activeAppointment('a')} AND a.patient_id IS NOT DISTINCT FROM q.patient_id AND a.starts_at > ${SHOWN_AT}
               ELSE q.starts_at > ${SHOWN_AT} OR a.starts_at > ${SHOWN_AT} END
    ORDER BY a.starts_at, a.id
      FOR NO KEY UPDATE OF a`,
);

/** A list can be answered by its numbers for so long. */
const LIST_HOURS = 24;

/**
 * The latest list of appointments to choose from that a number was sent in the last day, while one of its patients has the number. Values: organization, number, the moment at
 * which the patient wrote.
 */
export const CHOICE_LIST = statement<ChoiceList>(
  'choice_list',
  `SELECT m.id AS "textId", ${ASKED_AT} AS "askedAt", m.choice_answer AS answer, ${WAS_TAKEN} AS told,
          (SELECT array_agg(v.appointment_id::float8 ORDER BY v.position) FROM text_appointment v
            WHERE v.organization_id = $1 AND v.sms_message_id = m.id) AS "appointmentIds"
     FROM sms_message m
    WHERE m.organization_id = $1 AND m.to_number = $2 AND m.choice_answer IS NOT NULL AND ${WENT_OUT}
      AND ${ASKED_AT} <= ${AT} AND m.queued_at > ${AT} - make_interval(hours => ${LIST_HOURS})
      AND EXISTS (SELECT FROM text_appointment v JOIN patient p ON p.organization_id = $1 AND p.id = v.patient_id ${joinGuardian('$1')}
                   WHERE v.organization_id = $1 AND v.sms_message_id = m.id AND (${patientHasNumber('$2')}))
    ORDER BY ${ASKED_AT} DESC, m.id DESC LIMIT 1`,
);

/** Notes of all questions to a number about appointments that they were answered. Values: organization, number, appointments. */
export const SETTLE_QUESTIONS = statement<never>(
  'settle_questions',
  `UPDATE text_appointment v SET question = 'answered'
     FROM sms_message m
    WHERE v.organization_id = $1 AND v.appointment_id = ${anyOf('$3')} AND v.question IS NOT NULL AND v.question <> 'closed'
      AND m.organization_id = v.organization_id AND m.id = v.sms_message_id AND m.to_number = $2`,
);

/**
 * Notes of the questions to a number about appointments that the patient was told that they are void. One that was put after the answer
 * was written is another question, and stays. Values: organization, number, the moment at which the patient wrote, appointments.
 */
export const CLOSE_QUESTIONS = statement<never>(
  'close_questions',
  `UPDATE text_appointment v SET question = 'closed'
     FROM sms_message m
    WHERE v.organization_id = $1 AND v.appointment_id = ${anyOf('$4')} AND v.question IS NOT NULL
      AND m.organization_id = v.organization_id AND m.id = v.sms_message_id AND m.to_number = $2
      AND ${WENT_OUT} AND ${ASKED_AT} <= ${AT}`,
);

/**
 * Notes of the open questions to a patient that their numbers are no longer the patient's: an answer is asked about again, should a number come
 * back. Values: organization, patient.
 */
export const CLOSE_FORMER_QUESTIONS = statement<never>(
  'close_former_questions',
  `UPDATE text_appointment v SET question = 'closed'
     FROM sms_message m, patient p ${joinGuardian('$1')}
    WHERE v.organization_id = $1 AND v.patient_id = $2 AND v.question = 'open'
      AND m.organization_id = $1 AND m.id = v.sms_message_id AND p.organization_id = $1 AND p.id = $2 AND NOT (${patientHasNumber('m.to_number')})`,
);

/** Stores the answer of a patient. Values: organization, appointments, answer, the moment at which the patient wrote. */
export const STORE_ANSWER = statement<never>(
  'store_answer',
  `UPDATE appointment SET confirmation = $3, confirmed_at = $4::timestamptz, confirmed_by = 'patient', updated_at = now()
    WHERE organization_id = $1 AND id = ${anyOf('$2')}`,
);

/**
 * Replies to a number that wait, about nothing but appointments that a new one names: only the new one is true. OFFSET keeps PostgreSQL from
 * reading all texts that wait, of which a campaign queues thousands. Values: organization, number, appointments.
 */
export const OUTDATED_REPLIES = statement<{ id: number }>(
  'outdated_replies',
  `SELECT m.id
     FROM (SELECT * FROM sms_message WHERE organization_id = $1 AND to_number = $2 OFFSET 0) m
    WHERE m.state = 'queued' AND m.attempts = 0 AND m.is_reply AND m.urgent
      AND EXISTS (SELECT FROM text_appointment v WHERE v.organization_id = $1 AND v.sms_message_id = m.id)
      AND NOT EXISTS (SELECT FROM text_appointment v
                       WHERE v.organization_id = $1 AND v.sms_message_id = m.id AND v.appointment_id <> ALL ($3::bigint[]))
    ORDER BY m.id`,
);

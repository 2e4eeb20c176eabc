import { statement } from '../../../database/statements/statement.ts';
import type { NumberRegistration, SmsMessage } from '../../../generated/prisma/client.ts';
import { joinGuardian, NAME_TO_GUARDIAN, REACHED_ZONE, selectReached } from '../../patients/guardians/reached.sql.ts';
import { numberStoppedTexts } from '../../patients/number-stopped-texts.sql.ts';
import { mayText, textsFrom } from '../numbers/sending-numbers.sql.ts';

/** All that decides whether and when a text to somebody leaves, and in which words. */
export interface TextFacts {
  /** Of the text that is queued next. */
  id: number;
  /** By the clock of the database. */
  now: Date;
  /** Of the person to whom messages about the patient go: their guardian, else the patient. The same of the language, the objections and the zone. */
  mobilePhone: string | null;
  /** The patient's name to their guardian; null where messages go to the patient. */
  nameToGuardian: string | null;
  /** The chart of the guardian, where they have one. */
  guardianId: number | null;
  patientLanguage: string | null;
  /** There is no such chart, or it was deleted. */
  gone: boolean;
  deceased: boolean;
  doNotCall: boolean;
  doNotSms: boolean;
  /** The number that is written to sent STOP. */
  stopped: boolean;
  /** Their own number did, which may be another. */
  ownStopped: boolean;
  /** Zone of the quiet hours, and their limits as `HH:MM`. */
  zone: string;
  start: string;
  end: string;
  practice: string;
  practicePhone: string | null;
  practiceLanguage: string;
  practiceActive: boolean;
  /** The plain number that was asked for, else the one that this recipient was last written to from, else the one owned longest. */
  sender: string | null;
  /** Whether carriers take texts from it; null without one, and for a number of the sandbox. */
  senderRegistration: NumberRegistration | null;
  /** Replies to the number in the last hour. */
  replies: number;
  /** Of the appointment that the text is about. */
  startsAt: Date | null;
  appointmentPatientId: number | null;
  initialSmsSent: boolean | null;
  /** Whether one of its texts to its patient arrived; null without any. */
  told: boolean | null;
}

/** Draws the id of a text: an encrypted value contains the id of its row. */
export const TEXT_ID = statement<{ id: number }>('text_id', `SELECT nextval('sms_message_id_seq') AS id`);

const SENDER = (
  organization: string,
  to: string,
  wanted: string,
) => `SELECT n.number, CASE WHEN n.carrier <> 'local' THEN n.registration END AS registration
             FROM phone_number n
            WHERE n.organization_id = ${organization} AND ${textsFrom('n')}
            ORDER BY ${mayText('n')} DESC, n.number = ${wanted} DESC NULLS LAST, n.number = (SELECT m.from_number FROM sms_message m
                                  WHERE m.organization_id = ${organization} AND m.to_number = ${to} AND m.direction = 'outbound'
                                  ORDER BY m.queued_at DESC, m.id DESC LIMIT 1) DESC NULLS LAST, n.id
            LIMIT 1`;

const NUMBER = `coalesce($3::text, ${selectReached('mobile_phone')})`;

/**
 * Values: organization, patient (null: that of the appointment), number instead of the patient's own or null, appointment, sender number
 * that is kept while the practice texts from it, or null; NONE for no patient and for no appointment.
 */
export const TEXT_FACTS = statement<Omit<TextFacts, 'id'>>(
  'text_facts',
  `SELECT now() AS now, ${selectReached('mobile_phone')} AS "mobilePhone", ${NAME_TO_GUARDIAN} AS "nameToGuardian", w.patient_id AS "guardianId",
          ${selectReached('language_code')} AS "patientLanguage",
          p.id IS NULL OR p.status = 'deleted' AS gone, p.deceased_date IS NOT NULL AS deceased,
          coalesce(${selectReached('do_not_call')}, false) AS "doNotCall", coalesce(${selectReached('do_not_sms')}, false) AS "doNotSms",
          ${numberStoppedTexts('$1', NUMBER)} AS stopped, coalesce(${selectReached('texts_stopped')}, false) AS "ownStopped",
          ${REACHED_ZONE} AS zone, o.quiet_hours_start AS start, o.quiet_hours_end AS "end",
          o.name AS practice, o.phone AS "practicePhone", o.language_id AS "practiceLanguage", o.active AS "practiceActive",
          n.number AS sender, n.registration AS "senderRegistration",
          (SELECT count(*)::int FROM sms_message m
            WHERE m.organization_id = $1 AND m.to_number = ${NUMBER} AND m.is_reply AND m.queued_at > now() - interval '1 hour') AS replies,
          a.starts_at AS "startsAt", a.patient_id AS "appointmentPatientId", a.initial_sms_sent AS "initialSmsSent",
          (SELECT bool_or(m.state IN ('sent', 'delivered')) FROM sms_message m
            WHERE m.organization_id = $1 AND m.appointment_id = a.id AND m.direction = 'outbound' AND m.patient_id = a.patient_id) AS told
     FROM organization o
     LEFT JOIN appointment a ON a.organization_id = $1 AND a.id = $4::bigint
     LEFT JOIN patient p ON p.organization_id = $1 AND p.id = coalesce($2::int, a.patient_id)
     LEFT JOIN office f ON f.organization_id = $1 AND f.id = p.primary_office_id ${joinGuardian('$1')}
     LEFT JOIN LATERAL (${SENDER('$1', NUMBER, '$5::text')}) n ON true
    WHERE o.id = $1`,
);

const COLUMNS: readonly (readonly [column: string, field: keyof SmsMessage])[] = [
  ['organization_id', 'organizationId'],
  ['id', 'id'],
  ['direction', 'direction'],
  ['patient_id', 'patientId'],
  ['appointment_id', 'appointmentId'],
  ['template_id', 'templateId'],
  ['review_user_id', 'reviewUserId'],
  ['from_number', 'fromNumber'],
  ['to_number', 'toNumber'],
  ['body', 'body'],
  ['language', 'language'],
  ['sealed', 'sealed'],
  ['state', 'state'],
  ['reason', 'reason'],
  ['carrier_id', 'carrierId'],
  ['not_before', 'notBefore'],
  ['queued_at', 'queuedAt'],
  ['is_reply', 'isReply'],
  ['urgent', 'urgent'],
  ['choice_answer', 'choiceAnswer'],
  ['own_number', 'ownNumber'],
  ['to_guardian', 'toGuardian'],
  ['sent_by_user_id', 'sentByUserId'],
  ['scheduled_at', 'scheduledAt'],
  ['updated_at', 'updatedAt'],
];

/** Values: those of textValues. */
export const INSERT_TEXT = statement<never>(
  'insert_text',
  `INSERT INTO sms_message (${COLUMNS.map(([column]) => column).join(', ')}) VALUES (${COLUMNS.map((_, n) => `$${n + 1}`).join(', ')})`,
);

/** The fields of a new text beside its practice, in the order of INSERT_TEXT. */
export const textValues = (text: SmsMessage): unknown[] => COLUMNS.slice(1).map(([, field]) => text[field]);

/** Values: organization, text, number. */
const writeRedirect = (table: string) => `UPDATE ${table} SET sent_to = $3 WHERE organization_id = $1 AND sms_message_id = $2`;
export const REDIRECT_MESSAGE = statement<never>('redirect_message', writeRedirect('external_message'));
export const REDIRECT_INVITE = statement<never>('redirect_invite', writeRedirect('session_invite'));

/** Which appointments a text names. Values: organization, text, and by columns the appointments. */
export const NAME_APPOINTMENTS = statement<never>(
  'name_appointments',
  `INSERT INTO text_appointment (organization_id, sms_message_id, appointment_id, patient_id, starts_at, question, position)
   SELECT $1::int, $2::bigint, n.appointment_id, n.patient_id, n.starts_at, n.question, n.position
     FROM unnest($3::bigint[], $4::int[], $5::timestamptz[], $6::text_question_state[], $7::int[])
       AS n (appointment_id, patient_id, starts_at, question, position)`,
);

/** Values: organization, appointment, whether its patient was told by text. */
export const STORE_INITIAL_TEXT = statement<never>(
  'store_initial_text',
  'UPDATE appointment SET initial_sms_sent = $3::boolean, updated_at = now() WHERE organization_id = $1 AND id = $2',
);

import { statement } from '../../../database/statements/statement.ts';
import { joinGuardian, NAME_TO_GUARDIAN, selectReached } from '../../patients/guardians/reached.sql.ts';
import { mayText, textsFrom } from '../numbers/sending-numbers.sql.ts';
import type { Channel } from './check-ins.ts';

/** Whether the practice has a number from which texts leave. */
const SENDER = `SELECT EXISTS (SELECT FROM phone_number n WHERE n.organization_id = $1 AND ${textsFrom('n')} AND ${mayText('n')}) AS owned`;

/** The ways to the person who is reached for the patient `p`. */
const WAYS = `${selectReached('mobile_phone')} AS mobile_phone, ${selectReached('email')} AS email,
              ${selectReached('mobile_phone')} IS NOT NULL AND NOT ${selectReached('do_not_sms')} AND NOT ${selectReached('texts_stopped')} AS takes_texts`;

/**
 * The channel of the next run for the recipient `r`: by text where there is a mobile number and no opt-out, else by mail; a channel that was
 * asked for comes first while it reaches the patient.
 */
const CHANNEL = `CASE WHEN r.channel = 'email' AND r.email IS NOT NULL THEN 'email'
                  WHEN r.takes_texts AND (s.owned OR r.email IS NULL OR r.channel = 'sms') THEN 'sms'
                  WHEN r.email IS NOT NULL THEN 'email'
                  ELSE coalesce(r.channel, 'sms') END`;

/** The channel of each named recipient of a schedule at its next run. Values: organization, schedule. */
export const NEXT_CHANNELS = statement<{ patientId: number; channel: Channel }>(
  'next_channels_of_schedule',
  `SELECT r.patient_id AS "patientId", ${CHANNEL} AS channel
     FROM (SELECT t.patient_id, t.channel, ${WAYS}
             FROM scheduled_check_in_recipient t
             JOIN patient p ON p.organization_id = $1 AND p.id = t.patient_id ${joinGuardian('$1')}
            WHERE t.organization_id = $1 AND t.scheduled_check_in_id = $2) r
    CROSS JOIN (${SENDER}) s`,
);

export interface PendingCheckIn {
  patientId: number;
  /** Surveys of the occurrence that the patient was not sent yet: one message has the links of all. */
  surveyTypeIds: number[];
  channel: Channel;
  /** The number or address by which the patient is reached; where there is none, the message is suppressed with that reason. */
  to: string | null;
  firstName: string | null;
  lastName: string | null;
  nameToGuardian: string | null;
  languageCode: string | null;
  practiceLanguage: string;
  /** A text for which the practice has no sender number. */
  waits: boolean;
}

/**
 * Check-ins of an occurrence that are still to be sent: to the named recipients, or where none are named to every
 * monitored patient who can be reached. Leaves out deceased patients and deleted charts, and restricted or
 * blocked charts that are not named. Values: organization, schedule, spellings of the flag of monitored patients, day, limit.
 */
export const PENDING_CHECK_INS = statement<PendingCheckIn>(
  'pending_check_ins',
  `WITH sender AS MATERIALIZED (${SENDER}),
   named AS MATERIALIZED (
     SELECT r.patient_id, r.channel FROM scheduled_check_in_recipient r WHERE r.organization_id = $1 AND r.scheduled_check_in_id = $2),
   wanted AS MATERIALIZED (
     SELECT patient_id, channel, true AS is_named FROM named
     UNION ALL
     SELECT p.id, NULL, false FROM patient p ${joinGuardian('$1')}
      WHERE p.organization_id = $1 AND p.flags && $3::text[] AND NOT ${selectReached('do_not_call')} AND NOT p.restricted
        AND NOT EXISTS (SELECT FROM named)),
   ways AS MATERIALIZED (
     SELECT t.*, p.first_name, p.last_name, ${NAME_TO_GUARDIAN} AS name_to_guardian, ${selectReached('language_code')} AS language_code, ${WAYS}
       FROM wanted t
       JOIN patient p ON p.organization_id = $1 AND p.id = t.patient_id AND p.status <> 'deleted' AND p.deceased_date IS NULL ${joinGuardian('$1')}),
   addressees AS (
     SELECT r.*, s.owned, ${CHANNEL} AS way FROM ways r CROSS JOIN sender s
      WHERE r.is_named OR (r.takes_texts AND s.owned) OR r.email IS NOT NULL)
   SELECT a.patient_id AS "patientId", t.ids AS "surveyTypeIds", a.way AS channel, a.first_name AS "firstName", a.last_name AS "lastName",
          a.name_to_guardian AS "nameToGuardian", a.language_code AS "languageCode", o.language_id AS "practiceLanguage",
          CASE a.way WHEN 'sms' THEN a.mobile_phone ELSE a.email END AS "to", a.way = 'sms' AND NOT a.owned AS waits
     FROM addressees a
     JOIN organization o ON o.id = $1
     JOIN LATERAL (
       SELECT array_agg(y.id ORDER BY y.id) AS ids
         FROM scheduled_check_in_survey q JOIN survey_type y ON y.organization_id = q.organization_id AND y.id = q.survey_type_id AND y.active
        WHERE q.organization_id = $1 AND q.scheduled_check_in_id = $2
          AND NOT EXISTS (SELECT FROM check_in c WHERE c.organization_id = $1 AND c.scheduled_check_in_id = $2
                             AND c.patient_id = a.patient_id AND c.survey_type_id = y.id AND c.occurrence_on = $4::date)) t ON t.ids IS NOT NULL
    ORDER BY waits, a.patient_id LIMIT $5::int`,
);

import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { ten, written } from './appointment-rows.ts';

/** The column of a job for the text `made`, with the rules of the queue. */
const JOB = `
      INSERT INTO queue.job (name, data, retry_limit, retry_delay, retry_backoff, retry_delay_max, heartbeat_seconds, expire_seconds, deletion_seconds,
             keep_until, dead_letter, policy)
      SELECT 'send-text', jsonb_build_object('kind', 'send-text', 'organizationId', organization_id, 'id', id), 10, 5, true, 1800, 15, 60, 600,
             now() + interval '14 days', 'unsent', 'standard'
        FROM made`;

/** The plain number that a recipient was last written to from, else the practice's first. */
const SENDER = (organization: string, to: string) => `
             (SELECT n.number FROM phone_number n
               WHERE n.organization_id = ${organization} AND n.kind = 'plain' AND n.released_at IS NULL AND n.carrier_id IS NOT NULL
               ORDER BY n.number = (SELECT m.from_number FROM sms_message m
                                     WHERE m.organization_id = ${organization} AND m.to_number = ${to} AND m.direction = 'outbound'
                                     ORDER BY m.queued_at DESC, m.id DESC LIMIT 1) DESC NULLS LAST, n.id LIMIT 1)`;

const OPTED_OUT = (organization: string, number: string) => `
             coalesce((SELECT optout.opted_out FROM opt_out AS optout WHERE optout.organization_id = ${organization} AND optout.number = ${number}
                        ORDER BY optout.recorded_at DESC, optout.id DESC LIMIT 1), false)`;

const MAY_TEXT = `p.status <> 'deleted' AND p.deceased_date IS NULL AND NOT p.do_not_call AND NOT p.do_not_sms AND p.mobile_phone IS NOT NULL`;

/** The text in the server's own words, which appointment it names, its job, and that the patient was written to. */
const QUEUE_TEXT = {
  name: 'queue_text',
  text: `
    WITH about AS MATERIALIZED (
      SELECT a.id, a.starts_at, a.local_start, a.time_zone, a.confirmation, p.id AS patient_id, p.mobile_phone, p.first_name, p.last_name, o.name AS practice,
             coalesce(p.time_zone, f.time_zone, o.time_zone) AS zone, p.language_code, o.quiet_hours_start, o.quiet_hours_end,
             (SELECT t.body FROM sms_template t WHERE t.organization_id = $1 AND t.category = 'appointment' AND t.active LIMIT 1) AS template,
             ${SENDER('$1', 'p.mobile_phone')} AS sender
        FROM appointment a
        JOIN organization o ON o.id = $1
        JOIN patient p ON p.organization_id = $1 AND p.id = a.patient_id AND ${MAY_TEXT} AND NOT p.restricted
        LEFT JOIN office f ON f.organization_id = $1 AND f.id = p.primary_office_id
       WHERE a.organization_id = $1 AND a.id = $2::bigint AND a.status <> 'cancelled' AND NOT ${OPTED_OUT('$1', 'p.mobile_phone')}
         FOR NO KEY UPDATE OF a
    ), made AS (
      INSERT INTO sms_message (organization_id, direction, patient_id, appointment_id, body, language, from_number, to_number, own_number, sent_by_user_id, state, updated_at)
      SELECT $1, 'outbound', patient_id, id,
             coalesce(template, 'Hello ' || first_name || ', your appointment with ' || practice || ' is on '
               || to_char(starts_at AT TIME ZONE time_zone, 'FMMonth FMDD, YYYY') || ' at ' || to_char(starts_at AT TIME ZONE time_zone, 'FMHH12:MI AM') || '.'),
             'en', sender, mobile_phone, true, $3::int, 'queued', now()
        FROM about RETURNING *
    ), named AS (
      INSERT INTO text_appointment (organization_id, sms_message_id, appointment_id, patient_id, starts_at)
      SELECT $1, made.id, about.id, about.patient_id, about.starts_at FROM made, about
    ), told AS (
      UPDATE appointment SET initial_sms_sent = false, updated_at = now() WHERE organization_id = $1 AND id = $2::bigint AND initial_sms_sent IS NULL
    ), queued AS (${JOB}
    )
    SELECT json_build_object('uuid', m.id, 'direction', m.direction, 'state', m.state, 'reason', m.reason, 'reason_code', m.reason, 'message', m.body,
             'language', m.language, 'from_number', ${ten('m.from_number')}, 'to_number', ${ten('m.to_number')}, 'patient_id', m.patient_id,
             'appointment_id', m.appointment_id, 'template_id', m.template_id, 'review_user_id', m.review_user_id,
             'patient', json_build_object('uuid', about.patient_id, 'firstname', about.first_name, 'lastname', about.last_name), 'patient_restricted', false,
             'appointment', json_build_object('uuid', about.id, 'appointment_date', ${written('about.starts_at')},
               'local_appointment_date', to_char(about.local_start, 'YYYY-MM-DD"T"HH24:MI:SS'), 'appointment_timezone', about.time_zone,
               'confirmation', about.confirmation),
             'template', NULL, 'attempts', m.attempts, 'created_at', ${written('m.queued_at')}, 'pictures', json_build_array(), 'send_at', CASE WHEN m.scheduled_at IS NOT NULL THEN ${written('m.queued_at')} END, 'not_before', ${written('m.not_before')},
             'sent_at', ${written('m.sent_at')}, 'delivered_at', ${written('m.delivered_at')}, 'updated_at', ${written('m.updated_at')}) AS data
      FROM made m CROSS JOIN about`,
};

/**
 * A yes by text, to the one question that its number was asked: the text, the answer, the thanks with the appointment, and their job. What
 * the number is known by is looked up in the same statement.
 */
const CONFIRM = {
  name: 'confirm',
  text: `
    WITH asked AS MATERIALIZED (
      SELECT h.organization_id, a.id, a.starts_at, a.time_zone, p.id AS patient_id, p.mobile_phone,
             coalesce(p.time_zone, f.time_zone, o.time_zone) AS zone, p.language_code, o.language_id,
             coalesce(nullif(trim(w.display_name), ''), trim(concat_ws(' ', w.first_name, w.last_name))) AS provider,
             (SELECT count(*) FROM sms_message r WHERE r.organization_id = h.organization_id AND r.to_number = $1 AND r.is_reply
                 AND r.queued_at > now() - interval '1 hour') AS replies,
             EXISTS (SELECT FROM inbox_item i WHERE i.organization_id = h.organization_id AND i.contact_id = p.id AND i.closed_at IS NULL) AS in_inbox
        FROM held_number h
        JOIN organization o ON o.id = h.organization_id AND o.active
        JOIN patient p ON p.organization_id = h.organization_id AND (p.mobile_phone = $1 OR p.home_phone = $1) AND ${MAY_TEXT}
        JOIN LATERAL (
          SELECT v.appointment_id, v.patient_id, v.starts_at FROM sms_message m
            JOIN text_appointment v ON v.organization_id = m.organization_id AND v.sms_message_id = m.id AND v.question = 'open'
           WHERE m.organization_id = h.organization_id AND m.to_number = $1 AND m.direction = 'outbound' AND m.attempts > 0 AND m.state <> 'failed'
           ORDER BY m.attempted_at DESC, m.id DESC LIMIT 1) AS q ON true
        JOIN appointment a ON a.organization_id = h.organization_id AND a.id = q.appointment_id AND a.patient_id = q.patient_id
         AND a.starts_at = q.starts_at AND a.starts_at > now() AND a.status NOT IN ('cancelled', 'no_show')
        LEFT JOIN provider w ON w.organization_id = h.organization_id AND w.id = a.provider_id
        LEFT JOIN office f ON f.organization_id = h.organization_id AND f.id = p.primary_office_id
       WHERE h.number = $2 AND NOT ${OPTED_OUT('h.organization_id', '$1')}
         AND NOT EXISTS (SELECT FROM sms_message m WHERE m.organization_id = h.organization_id AND m.carrier_id = $3)
         FOR NO KEY UPDATE OF a
    ), received AS (
      INSERT INTO sms_message (organization_id, direction, patient_id, appointment_id, body, from_number, to_number, state, carrier_id, queued_at, updated_at)
      SELECT organization_id, 'inbound', patient_id, id, $4, $1, $2, 'received', $3, $5::timestamptz, now() FROM asked
    ), confirmed AS (
      UPDATE appointment a SET confirmation = 'Yes', confirmed_at = $5::timestamptz, confirmed_by = 'patient', updated_at = now()
        FROM asked WHERE a.organization_id = asked.organization_id AND a.id = asked.id
    ), settled AS (
      UPDATE text_appointment v SET question = 'answered' FROM asked
       WHERE v.organization_id = asked.organization_id AND v.appointment_id = asked.id AND v.question IS NOT NULL
    ), made AS (
      INSERT INTO sms_message (organization_id, direction, patient_id, appointment_id, body, language, from_number, to_number, own_number, state, is_reply, urgent, updated_at)
      SELECT organization_id, 'outbound', patient_id, id, 'Thank you. We expect you on '
             || to_char(starts_at AT TIME ZONE time_zone, 'Dy, Mon FMDD, FMHH12:MI AM') || ' with ' || provider || '. Reply N if you cannot come.',
             'en', $2, $1, true, 'queued', true, true, now()
        FROM asked WHERE replies < 10 RETURNING *
    ), named AS (
      INSERT INTO text_appointment (organization_id, sms_message_id, appointment_id, patient_id, starts_at, question)
      SELECT made.organization_id, made.id, asked.id, asked.patient_id, asked.starts_at, 'answered' FROM made, asked
    ), queued AS (${JOB}
    )
    SELECT id FROM asked`,
};

type CarrierForm = Record<'id' | 'from' | 'to' | 'body' | 'at', string>;

export function textRoutes(app: FastifyInstance, pool: pg.Pool): void {
  app.post<{ Params: { uuid: string } }>('/appointments/:uuid/send-sms', async ({ claims, params }, reply) => {
    const { rows } = await pool.query<{ data: object }>({ ...QUEUE_TEXT, values: [claims.org, params.uuid, claims.sub] });
    if (!rows[0]) return reply.code(404).send();
    return reply.code(201).type('application/json; charset=utf-8').send(JSON.stringify(rows[0]));
  });

  app.post<{ Body: CarrierForm }>('/webhooks/carrier', async ({ body: { from, to, id, body, at } }, reply) => {
    const isYes = /^\s*(y|yes)\s*$/i.test(body);
    const { rowCount } = isYes ? await pool.query({ ...CONFIRM, values: [from, to, id, body, at] }) : { rowCount: 0 };
    if (rowCount !== 1) return reply.code(404).send();
    return reply.type('application/json; charset=utf-8').send('{"kind":"nothing"}');
  });
}

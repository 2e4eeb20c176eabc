import { createHash } from 'node:crypto';
import pg from 'pg';
import { IDS, OFFICES, PROVIDERS, TYPES } from './practices.ts';

/** The practice that texts, has surveys and monitors: the large one has no number, so that its lists need no quiet hours. */
export const TEXTING_ID = 2;
const BASE = (TEXTING_ID - 1) * IDS;
export const TEXTING_USER_ID = BASE + 1;
export const TEXTING_NUMBER = '+15185550190';
const SURVEY_ID = BASE + 900;
/** Blood pressure, pulse and weight, with a target each that no drawn value misses. */
export const ITEM_IDS = [BASE + 901, BASE + 902, BASE + 903, BASE + 904] as const;

/**
 * What a practice sets up once. No hour is quiet, so that a run by night does what one by day does. Texts stay in the queue: sending them
 * is a worker's, and would be counted for whichever server is measured then. What earlier runs have left there is withdrawn.
 */
const SET_UP = `
  UPDATE organization SET quiet_hours_start = '00:00', quiet_hours_end = '00:00' WHERE id = ${TEXTING_ID};
  INSERT INTO phone_number (organization_id, number, kind, carrier, carrier_id)
  SELECT ${TEXTING_ID}, '${TEXTING_NUMBER}', 'plain', 'local', 'PN-bench' WHERE NOT EXISTS (SELECT FROM phone_number WHERE number = '${TEXTING_NUMBER}');
  INSERT INTO item (organization_id, id, name, unit, min_target, max_target, danger_max, updated_at)
  SELECT ${TEXTING_ID}, id, name, unit, 40, 180, 220, now()
    FROM (VALUES (${ITEM_IDS[0]}, 'Systolic blood pressure', 'mmHg'), (${ITEM_IDS[1]}, 'Diastolic blood pressure', 'mmHg'),
                 (${ITEM_IDS[2]}, 'Pulse', '/min'), (${ITEM_IDS[3]}, 'Weight', 'kg')) AS i (id, name, unit) ON CONFLICT DO NOTHING;
  INSERT INTO survey_type (organization_id, id, name, questions, updated_at)
  VALUES (${TEXTING_ID}, ${SURVEY_ID}, 'How are you today?', '[
    {"key": "systolic", "text": "Upper value of your blood pressure", "kind": "number", "min": 40, "max": 300, "itemId": ${ITEM_IDS[0]}},
    {"key": "pulse", "text": "Pulse", "kind": "number", "min": 20, "max": 250, "itemId": ${ITEM_IDS[2]}},
    {"key": "dizzy", "text": "Are you dizzy?", "kind": "yes_no"},
    {"key": "sleep", "text": "How did you sleep?", "kind": "choice", "choices": ["well", "badly"]},
    {"key": "remarks", "text": "What else?", "kind": "text", "required": false}]', now()) ON CONFLICT DO NOTHING;
  CREATE OR REPLACE FUNCTION bench_send_later() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN NEW.start_after := now() + interval ''1 day''; RETURN NEW; END';
  CREATE OR REPLACE TRIGGER bench_send_later BEFORE INSERT ON queue.job FOR EACH ROW EXECUTE FUNCTION bench_send_later();
  DELETE FROM queue.job;
  UPDATE sms_message SET state = 'suppressed', reason = 'withdrawn' WHERE state = 'queued'`;

export async function setUpTexting(superuserUrl: string): Promise<void> {
  await inTransaction(superuserUrl, (client) => client.query(SET_UP));
}

/** Patients with an appointment in a month each, for requests that use them up, in the order of the requests. */
export interface Visits {
  patientIds: number[];
  appointmentIds: number[];
}

/** The first thousand are compared: they repeat, so that two servers write the same. */
const VISITS = `
  INSERT INTO patient (organization_id, id, first_name, last_name, birth_date, sex, mobile_phone, primary_office_id, updated_at)
  SELECT ${TEXTING_ID}, patient_id, 'Robin', 'Visitor', date '1940-01-01' + k, 'F', '+1' || (2000000000 + patient_id), ${BASE} + 1 + k % ${OFFICES}, now()
    FROM visit;
  INSERT INTO appointment (organization_id, id, patient_id, type_organization_id, type_id, office_id, provider_id, starts_at, ends_at, local_start,
         time_zone, duration_minutes, updated_at)
  SELECT ${TEXTING_ID}, v.appointment_id, v.patient_id, ${TEXTING_ID}, ${BASE} + 1 + k % ${TYPES}, o.id, ${BASE} + 1 + k % ${PROVIDERS},
         s.start AT TIME ZONE o.time_zone, s.start AT TIME ZONE o.time_zone + interval '30 minutes', s.start, o.time_zone, 30, now()
    FROM visit v JOIN office o ON o.organization_id = ${TEXTING_ID} AND o.id = ${BASE} + 1 + k % ${OFFICES}
   CROSS JOIN LATERAL (SELECT date_trunc('day', now() AT TIME ZONE 'UTC') + interval '30 days' + k % 20 * interval '1 day' + (8 + k % 9) * interval '1 hour' AS start) AS s;
  INSERT INTO user_appointment (organization_id, user_id, appointment_id)
  SELECT ${TEXTING_ID}, ${BASE} + 1 + k % ${PROVIDERS}, appointment_id FROM visit`;

/** Each patient was asked an hour ago whether they come. */
const QUESTIONS = `
  WITH asked AS (
    INSERT INTO sms_message (organization_id, direction, patient_id, appointment_id, from_number, to_number, body, state, carrier_id, attempts,
           queued_at, attempted_at, sent_at, updated_at)
    SELECT ${TEXTING_ID}, 'outbound', patient_id, appointment_id, '${TEXTING_NUMBER}', '+1' || (2000000000 + patient_id), 'Can you come? Reply Y or N.',
           'sent', 'SM-bench-' || appointment_id, 1, at, at, at, at
      FROM visit CROSS JOIN (SELECT now() - interval '1 hour' AS at) AS hour
    RETURNING id, appointment_id, patient_id)
  INSERT INTO text_appointment (organization_id, sms_message_id, appointment_id, patient_id, starts_at, question)
  SELECT ${TEXTING_ID}, asked.id, a.id, asked.patient_id, a.starts_at, 'open'
    FROM asked JOIN appointment a ON a.organization_id = ${TEXTING_ID} AND a.id = asked.appointment_id;
  UPDATE appointment SET initial_sms_sent = true WHERE organization_id = ${TEXTING_ID} AND id IN (SELECT appointment_id FROM visit)`;

/** @param then what the patients were asked before */
export async function makeVisits(
  url: string,
  count: number,
  then: 'nothing' | 'question' | readonly string[] = 'nothing',
): Promise<Visits> {
  return inTransaction(url, async (client) => {
    await client.query(`
      CREATE TEMP TABLE visit ON COMMIT DROP AS
      SELECT n, CASE WHEN n < 1000 THEN n % 40 ELSE n END AS k, nextval('patient_id_seq')::int AS patient_id, nextval('appointment_id_seq') AS appointment_id
        FROM generate_series(0, ${count - 1}) AS n;
      ${VISITS}`);
    if (then === 'question') await client.query(QUESTIONS);
    else if (then !== 'nothing')
      await client.query(
        `INSERT INTO check_in (organization_id, patient_id, survey_type_id, channel, message, link_hash, expires_at)
         SELECT ${TEXTING_ID}, v.patient_id, ${SURVEY_ID}, 'sms', 'How are you today?', link.hash, now() + interval '1 day'
           FROM visit v JOIN unnest($1::bytea[]) WITH ORDINALITY AS link (hash, place) ON link.place = v.n + 1`,
        [then.map((token) => createHash('sha256').update(token).digest())],
      );
    const { rows } = await client.query<{ patient_id: number; appointment_id: string }>(
      'SELECT patient_id, appointment_id FROM visit ORDER BY n',
    );
    return { patientIds: rows.map((row) => row.patient_id), appointmentIds: rows.map((row) => Number(row.appointment_id)) };
  });
}

async function inTransaction<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end();
  }
}

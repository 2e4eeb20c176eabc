import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { written } from './appointment-rows.ts';

interface Question {
  key: string;
  kind: 'number' | 'yes_no' | 'choice' | 'text';
  itemId?: number;
}

const FIND_CHECK_IN = {
  name: 'find_check_in',
  text: `
    SELECT c.organization_id, c.id, c.patient_id, s.questions, o.time_zone
      FROM check_in c
      JOIN organization o ON o.id = c.organization_id AND o.active
      JOIN patient p ON p.organization_id = c.organization_id AND p.id = c.patient_id AND p.status <> 'deleted' AND p.deceased_date IS NULL
      JOIN survey_type s ON s.organization_id = c.organization_id AND s.id = c.survey_type_id
     WHERE c.organization_id = $1 AND c.link_hash = $2 AND c.answered_at IS NULL AND c.expires_at > now()`,
};

/** The limits of an item for the patient `m.patient_id` at `m.at`: those of the patient's conditions, else its own. */
const TARGET = `
      LEFT JOIN LATERAL (
        SELECT max(s.min_target) AS min, min(s.max_target) AS max, max(s.danger_min) AS danger_min, min(s.danger_max) AS danger_max,
               array_agg(DISTINCT t.id ORDER BY t.id) AS ids
          FROM tracked_condition t
          JOIN tracked_condition_item s ON s.organization_id = t.organization_id AND s.tracked_condition_id = t.id
         WHERE t.organization_id = $1 AND t.patient_id = r.patient_id AND s.item_id = r.item_id
           AND t.created_at <= r.measured_at AND (t.ended_at IS NULL OR t.ended_at > r.measured_at)) AS own ON true`;
const LIMIT = (of: string, own: string) => `(CASE WHEN own.ids IS NULL THEN i.${of} ELSE own.${own} END)`;
const STATE = `
             CASE WHEN r.value >= coalesce(own.danger_max, i.danger_max) OR r.value <= coalesce(own.danger_min, i.danger_min) THEN 'danger'
                  WHEN r.value < ${LIMIT('min_target', 'min')} OR r.value > ${LIMIT('max_target', 'max')} THEN 'watch' ELSE 'within' END`;

/** The answers, and the values among them as readings. */
const ANSWER = {
  name: 'answer',
  text: `
    WITH answered AS (
      UPDATE check_in SET answers = $3::jsonb, answered_at = now() WHERE organization_id = $1 AND id = $2::bigint AND answered_at IS NULL RETURNING *
    ), r AS (
      INSERT INTO reading (organization_id, patient_id, item_id, value, measured_at, measured_on, source, check_in_id)
      SELECT $1, c.patient_id, s.item_id, s.value, now(), (now() AT TIME ZONE $6)::date, 'self', c.id
        FROM answered c CROSS JOIN unnest($4::int[], $5::numeric[]) AS s (item_id, value) RETURNING *
    )
    SELECT r.id, ${STATE} AS state FROM r JOIN item i ON i.organization_id = $1 AND i.id = r.item_id ${TARGET}`,
};

const KNOWN = {
  name: 'known',
  text: `
    WITH added AS (
      INSERT INTO monitoring_device (organization_id, identifier, make, model)
      SELECT $1, n.identifier, n.make, n.model FROM unnest($4::text[], $5::text[], $6::text[]) AS n (identifier, make, model)
        LEFT JOIN monitoring_device d ON d.organization_id = $1 AND lower(d.identifier) = lower(n.identifier)
       WHERE d.id IS NULL ON CONFLICT DO NOTHING)
    SELECT o.time_zone,
           ARRAY(SELECT p.id FROM patient p WHERE p.organization_id = $1 AND p.id = ANY ($2::int[]) AND p.status <> 'deleted' AND NOT p.restricted) AS patients,
           (SELECT json_object_agg(i.id, i.unit) FROM item i WHERE i.organization_id = $1 AND i.id = ANY ($3::int[])) AS units,
           ARRAY(SELECT c.month FROM closed_month c WHERE c.organization_id = $1) AS closed
      FROM organization o WHERE o.id = $1`,
};

/** The readings of a list, with their items, devices and targets as the response shows them. */
const STORE = {
  name: 'store',
  text: `
    WITH r AS (
      INSERT INTO reading (organization_id, patient_id, item_id, value, measured_at, measured_on, source, device_id, recorded_by_user_id)
      SELECT $1, s.patient_uuid, s.item_uuid, s.value, s.measured_at, (s.measured_at AT TIME ZONE $4)::date, 'device', d.id, $3::int
        FROM ROWS FROM (jsonb_to_recordset($2::jsonb) AS (patient_uuid int, item_uuid int, value numeric, measured_at timestamptz, device jsonb))
             WITH ORDINALITY AS s (patient_uuid, item_uuid, value, measured_at, device, place)
        JOIN monitoring_device d ON d.organization_id = $1 AND lower(d.identifier) = lower(s.device->>'identifier')
       ORDER BY s.place ON CONFLICT DO NOTHING RETURNING *
    )
    SELECT r.id, r.patient_id, r.item_id, i.name, i.unit, r.value::float8 AS value, ${written('r.measured_at')} AS measured_at,
           ${written('r.received_at')} AS received_at, r.source, r.recorded_by_user_id, ${written('r.error_at')} AS error_at, r.error_by_user_id, r.error_reason, d.id AS device_id, d.identifier, d.make, d.model, d.serial,
           ${LIMIT('min_target', 'min')}::float8 AS min, ${LIMIT('max_target', 'max')}::float8 AS max,
           coalesce(own.danger_min, i.danger_min)::float8 AS danger_min, coalesce(own.danger_max, i.danger_max)::float8 AS danger_max,
           coalesce(own.ids, '{}') AS ids, ${STATE} AS state
      FROM r JOIN item i ON i.organization_id = $1 AND i.id = r.item_id
      JOIN monitoring_device d ON d.organization_id = $1 AND d.id = r.device_id ${TARGET}
     ORDER BY r.id`,
};

type Sent = { patient_uuid: number; item_uuid: number; unit: string; device: { identifier: string; make: string; model: string } };
type Stored = Record<string, string | number | number[] | null>;
type Known = { time_zone: string; patients: number[]; units: Record<string, string | null> };

export function monitoringRoutes(app: FastifyInstance, pool: pg.Pool): void {
  app.post<{ Params: { token: string }; Body: Record<string, string> }>('/c/:token', async ({ params: { token }, body }, reply) => {
    const hash = createHash('sha256').update(token).digest();
    const found = await pool.query<{ organization_id: number; id: number; questions: Question[]; time_zone: string }>({
      ...FIND_CHECK_IN,
      values: [Buffer.from(token, 'base64url').readInt32BE(), hash],
    });
    const [checkIn] = found.rows;
    if (!checkIn) return reply.code(404).send();
    const answers: Record<string, string | number | boolean> = {};
    const [items, values]: [number[], number[]] = [[], []];
    for (const { key, kind, itemId } of checkIn.questions) {
      const text = body[`answer_${key}`];
      if (!text) continue;
      answers[key] = kind === 'number' ? Number(text) : kind === 'yes_no' ? text === 'yes' : text;
      if (itemId === undefined) continue;
      items.push(itemId);
      values.push(Number(text));
    }
    const { organization_id, id, time_zone } = checkIn;
    await pool.query({ ...ANSWER, values: [organization_id, id, JSON.stringify(answers), items, values, time_zone] });
    return reply.redirect(`/c/${token}`, 303);
  });

  app.post<{ Body: { readings: Sent[] } }>('/remote-patient-monitoring/readings', async ({ claims, body: { readings } }, reply) => {
    const devices = [...new Map(readings.map(({ device }) => [device.identifier, device])).values()];
    const patients = [...new Set(readings.map(({ patient_uuid }) => patient_uuid))];
    const names = [devices.map((one) => one.identifier), devices.map((one) => one.make), devices.map((one) => one.model)];
    const items = [...new Set(readings.map(({ item_uuid }) => item_uuid))];
    const known = (await pool.query<Known>({ ...KNOWN, values: [claims.org, patients, items, ...names] })).rows[0];
    const isKnown = ({ item_uuid, unit }: Sent) => known?.units[item_uuid] === unit;
    if (!known || known.patients.length < patients.length || !readings.every(isKnown)) return reply.code(404).send();
    const { rows } = await pool.query<Stored>({ ...STORE, values: [claims.org, JSON.stringify(readings), claims.sub, known.time_zone] });
    const results = rows.map((row) => ({ outcome: 'stored', reading: writeReading(row), errors: [] }));
    const data = { kind: 'batch', stored: rows.length, duplicates: readings.length - rows.length, refused: 0, results };
    return reply.code(201).type('application/json; charset=utf-8').send(JSON.stringify({ data }));
  });
}

const writeReading = (row: Stored) => ({
  kind: 'reading',
  uuid: row.id,
  patient_uuid: row.patient_id,
  item: { uuid: row.item_id, name: row.name, unit: row.unit },
  value: row.value,
  measured_at: row.measured_at,
  received_at: row.received_at,
  source: row.source,
  device: { uuid: row.device_id, identifier: row.identifier, make: row.make, model: row.model, serial: row.serial },
  checkin_uuid: null,
  recorded_by_user_uuid: row.recorded_by_user_id,
  target: {
    min: row.min,
    max: row.max,
    danger_min: row.danger_min,
    danger_max: row.danger_max,
    source: 'item',
    tracked_condition_uuids: row.ids,
  },
  state: row.state,
  entered_in_error: row.error_at === null ? null : { at: row.error_at, by_user_uuid: row.error_by_user_id, reason: row.error_reason },
});

import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { type AppointmentRow, findReferences, ten, writeAppointments, written } from './appointment-rows.ts';
import { APPOINTMENT_COLUMNS } from './appointments.ts';

/** The appointment, its participant and all that the response shows, in one statement. */
const BOOK = {
  name: 'book',
  text: `
    WITH named AS (
      SELECT p.id AS patient_id, t.id AS type_id, t.duration_minutes, f.id AS office_id, f.time_zone, l.id AS location_id, v.id AS provider_id, u.id AS user_id
        FROM organization o
        JOIN patient p ON p.organization_id = $1 AND p.id = $2::int AND p.status <> 'deleted' AND NOT p.restricted
        JOIN appointment_type t ON t.organization_id = $1 AND t.id = $4::int AND t.active
        JOIN office f ON f.organization_id = $1 AND f.id = $5::int AND f.active
        JOIN location l ON l.organization_id = $1 AND l.id = $6::int AND l.office_id = f.id AND l.active
        JOIN "user" u ON u.organization_id = $1 AND u.id = $7::int AND u.active AND u.type <> 'interface'
        LEFT JOIN provider v ON v.organization_id = $1 AND v.user_id = u.id AND v.active
       WHERE o.id = $1 AND o.double_booking = 'allow'
    ), a AS (
      INSERT INTO appointment (organization_id, patient_id, type_organization_id, type_id, office_id, location_id, provider_id, starts_at, ends_at,
             local_start, time_zone, duration_minutes, created_by_user_id, updated_at)
      SELECT $1, patient_id, $1, type_id, office_id, location_id, provider_id, $3::timestamp AT TIME ZONE time_zone,
             $3::timestamp AT TIME ZONE time_zone + duration_minutes * interval '1 minute', $3::timestamp, time_zone, duration_minutes, $8::int, now()
        FROM named RETURNING *
    ), taken AS (
      INSERT INTO user_appointment (organization_id, user_id, appointment_id) SELECT $1, $7::int, id FROM a
    )
    SELECT json_build_object('uuid', a.id, 'appointment_date', to_char(a.local_start, 'YYYY-MM-DD"T"HH24:MI:SS'), 'appointment_date_utc', ${written('a.starts_at')},
             'appointment_timezone', a.time_zone, 'created_at', ${written('a.created_at')}, 'updated_at', ${written('a.updated_at')}, 'created_by', c.id,
             'created_by_first_name', c.first_name, 'created_by_last_name', c.last_name, 'duration_minutes', a.duration_minutes,
             'initial_sms_sent', a.initial_sms_sent, 'status', a.status, 'status_changes', a.status_changes,
             'confirmation', a.confirmation, 'office_id', a.office_id, 'provider_id', a.provider_id, 'waiting_room_id', a.waiting_room_id,
             'location', json_build_object('uuid', l.id, 'name', l.name, 'phone', ${ten('l.phone')}, 'address', l.address1, 'address2', l.address2,
               'city', l.city, 'state', l.state, 'zip', l.zip),
             'patient', json_build_object('uuid', p.id, 'user_uuid', NULL, 'firstname', p.first_name, 'lastname', p.last_name,
               'address', json_build_object('address', p.address1, 'address2', p.address2, 'city', p.city, 'state', p.state, 'zip', p.zip),
               'email', p.email, 'phone_no', ${ten('p.mobile_phone')}, 'dob', p.birth_date, 'admit_date', p.admit_date, 'gender', p.sex,
               'med_rec_no', p.medical_record_no, 'census', p.census, 'provider', p.primary_provider_id, 'location', p.location_id, 'flags', p.flags,
               'do_not_sms', p.do_not_sms::int::text),
             'patient_restricted', p.restricted,
             'type', json_build_object('uuid', t.id, 'name', t.name, 'description', t.description, 'active', t.active::int, 'is_global', t.is_global::int),
             'user', json_build_array($7::int::text)) AS data
      FROM a
      JOIN patient p ON p.organization_id = $1 AND p.id = a.patient_id
      JOIN location l ON l.organization_id = $1 AND l.id = a.location_id
      JOIN appointment_type t ON t.organization_id = $1 AND t.id = a.type_id
      LEFT JOIN "user" c ON c.organization_id = $1 AND c.id = a.created_by_user_id`,
};

/** The appointment at its new time, to be confirmed again, and the texts about it that wait. */
const MOVE = {
  name: 'move',
  text: `
    WITH a AS (
      UPDATE appointment
         SET starts_at = $3::timestamp AT TIME ZONE time_zone, ends_at = $3::timestamp AT TIME ZONE time_zone + duration_minutes * interval '1 minute',
             local_start = $3::timestamp, confirmation = 'Pending', confirmed_at = NULL, confirmed_by = NULL, undated_at = NULL, rescheduled_at = now(), updated_at = now()
       WHERE organization_id = $1 AND id = $2::bigint AND status <> 'cancelled' RETURNING *)
    SELECT 1 AS total, ${APPOINTMENT_COLUMNS},
           ARRAY(SELECT m.id FROM text_appointment v JOIN sms_message m ON m.organization_id = $1 AND m.id = v.sms_message_id
                  WHERE v.organization_id = $1 AND v.appointment_id = a.id AND m.state = 'queued' AND m.attempts = 0)::text AS waiting
      FROM a LEFT JOIN patient p ON p.organization_id = $1 AND p.id = a.patient_id AND p.status <> 'deleted'`,
};

interface Booking {
  appointment_date: string;
  patient_id: number;
  appointment_type_id: number;
  office_id: number;
  location_id: number;
  user: number[];
}

export function scheduleRoutes(app: FastifyInstance, pool: pg.Pool): void {
  app.post<{ Body: Booking }>('/api/appointments', async ({ claims, body }, reply) => {
    const { patient_id, appointment_date, appointment_type_id, office_id, location_id, user } = body;
    const values = [claims.org, patient_id, appointment_date, appointment_type_id, office_id, location_id, user[0], claims.sub];
    const { rows } = await pool.query<{ data: object }>({ ...BOOK, values });
    if (!rows[0]) return reply.code(404).send();
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(rows[0]));
  });

  app.post<{ Params: { uuid: string }; Body: { appointment_date: string } }>(
    '/appointments/:uuid',
    async ({ claims, params, body }, reply) => {
      const { rows } = await pool.query<AppointmentRow>({ ...MOVE, values: [claims.org, params.uuid, body.appointment_date] });
      const [data] = writeAppointments(rows, await findReferences(pool, claims.org, rows));
      if (!data) return reply.code(404).send();
      return reply.type('application/json; charset=utf-8').send(JSON.stringify({ data }));
    },
  );
}

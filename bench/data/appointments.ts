import { IDS, PROVIDERS, type PracticePlan, STAFF, type Step, TYPES } from './practices.ts';

const draw = (what: number) => `pg_temp.u(i, ${what})`;

/** Appointments range from the first weekday of 2025 to the last of 2027; those before this day are past. */
const OVER_BEFORE = '2026-10-01';
const WEEKDAYS = 782;

export const APPOINTMENT_TABLES = ['appointment', 'user_appointment'];

/** Weekdays, eight to five in the office's local time; some patients come often, many never. */
export function appointmentSteps(plan: PracticePlan): Step[] {
  const { organizationId, before, patients, appointments } = plan;
  const base = (organizationId - 1) * IDS;
  const firstId = (organizationId - 1) * 10_000_000;
  return [
    {
      title: 'appointments',
      rows: appointments,
      text: `
        INSERT INTO appointment (organization_id, id, patient_id, type_organization_id, type_id, office_id, location_id, waiting_room_id, provider_id,
               starts_at, ends_at, local_start, time_zone, duration_minutes, status, confirmation, confirmed_at, confirmed_by, initial_sms_sent,
               show_on_tasks, created_by_user_id, cancelled_at, updated_at)
        SELECT ${organizationId}, ${firstId} + i, ${before} + 1 + (power(${draw(1)}, 1.6) * ${patients - 1})::int, ${organizationId}, type_id, o.id,
               CASE WHEN ${draw(2)} < 0.6 THEN ${base} + 1 + (${draw(3)} * 47)::int END, CASE WHEN ${draw(4)} < 0.15 THEN o.id END, provider_id,
               starts_at, starts_at + duration * interval '1 minute', local_start, o.time_zone, duration, status,
               confirmation, CASE WHEN confirmation <> 'Pending' THEN starts_at - interval '2 days' END,
               CASE WHEN confirmation <> 'Pending' THEN 'patient' END, ${draw(5)} < 0.8,
               ${draw(6)} < 0.9, ${base + PROVIDERS} + 1 + (${draw(7)} * ${STAFF - 1})::int,
               CASE WHEN status = 'cancelled' THEN starts_at - interval '1 day' END, timestamptz '2026-01-01'
          FROM (SELECT n AS i FROM generate_series($1::int, $2::int) AS n) AS series
         CROSS JOIN LATERAL (SELECT ${base} + 1 + (${draw(8)} * ${PROVIDERS - 1})::int AS provider_id, ${base} + 1 + (${draw(9)} * ${TYPES - 1})::int AS type_id,
                                    (${draw(10)} * ${WEEKDAYS - 1})::int AS weekday, 15 + 15 * (${draw(11)} * 3)::int AS duration OFFSET 0) AS d
          JOIN provider AS p ON p.organization_id = ${organizationId} AND p.id = provider_id
          JOIN office AS o ON o.organization_id = ${organizationId} AND o.id = p.home_office_id
         CROSS JOIN LATERAL (SELECT date '2025-01-01' + weekday / 5 * 7 + (ARRAY[0, 1, 2, 5, 6])[1 + weekday % 5] + interval '8 hours'
                                    + (${draw(12)} * 35)::int * interval '15 minutes' AS local_start OFFSET 0) AS w
         CROSS JOIN LATERAL (SELECT local_start AT TIME ZONE o.time_zone AS starts_at,
                                    (CASE WHEN ${draw(13)} < 0.07 THEN 'cancelled'
                                          WHEN local_start >= '${OVER_BEFORE}' THEN 'scheduled'
                                          WHEN ${draw(13)} < 0.12 THEN 'no_show' ELSE 'completed' END)::appointment_status AS status,
                                    (CASE WHEN ${draw(14)} < 0.6 THEN 'Yes' WHEN ${draw(14)} < 0.9 THEN 'Pending' ELSE 'No' END)::confirmation_answer AS confirmation OFFSET 0) AS s`,
    },
    {
      title: 'users of appointments',
      rows: appointments,
      text: `
        INSERT INTO user_appointment (organization_id, user_id, appointment_id, starts_at, ends_at)
        SELECT a.organization_id, part.user_id, a.id, a.starts_at, a.ends_at
          FROM appointment a CROSS JOIN LATERAL (SELECT a.id AS i) AS x
         CROSS JOIN LATERAL (SELECT a.provider_id AS user_id
                              UNION ALL SELECT ${base + PROVIDERS} + 2 + (a.office_id * 2 + (${draw(15)} * 1.99)::int) % ${STAFF - 1} WHERE ${draw(16)} < 0.4) AS part
         WHERE a.organization_id = ${organizationId} AND a.id BETWEEN ${firstId} + $1::int AND ${firstId} + $2::int`,
    },
  ];
}

/** Advances the sequences past the assigned ids. */
export const SEQUENCES = `
  SELECT setval(pg_get_serial_sequence(format('%I', t), 'id'), 1 + (xpath('/row/m/text()', query_to_xml(format('SELECT max(id) AS m FROM %I', t), false, true, '')))[1]::text::bigint)
    FROM unnest(ARRAY['organization', 'provider_group', 'office', 'location', 'waiting_room', 'employer', 'appointment_type', 'user', 'provider', 'patient', 'appointment']) AS t`;

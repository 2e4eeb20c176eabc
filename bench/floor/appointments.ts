import type { FastifyInstance, FastifyRequest } from 'fastify';
import type pg from 'pg';
import { type AppointmentRow, findReferences, writeAppointments } from './appointment-rows.ts';

const instant = (column: string, name: string) => `to_char(a.${column}, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS ${name}`;
const day = (column: string) => `p.${column}::text AS ${column}`;

/** Of the appointment `a` and its patient `p`. `$1` is the organization. */
export const APPOINTMENT_COLUMNS = `
             a.id, ${instant('starts_at', 'starts_at')}, to_char(a.local_start, 'YYYY-MM-DD"T"HH24:MI:SS') AS local_start, a.time_zone,
             ${instant('ends_at', 'ends_at')}, a.duration_minutes, a.status, a.status_changes::text AS status_changes, a.confirmation, ${instant('confirmed_at', 'confirmed_at')}, a.confirmed_by,
             a.show_on_tasks, a.initial_sms_sent, a.type_id, a.office_id, a.location_id, a.waiting_room_id, a.provider_id, a.created_by_user_id,
             ${instant('created_at', 'created_at')}, ${instant('updated_at', 'updated_at')},
             ARRAY(SELECT u.user_id FROM user_appointment u WHERE u.organization_id = $1 AND u.appointment_id = a.id ORDER BY u.user_id)::text AS user_ids,
             p.id AS p_id, p.status AS p_status, p.first_name, p.last_name, p.address1, p.address2, p.city, p.state, p.zip, p.email, p.mobile_phone,
             ${day('birth_date')}, ${day('admit_date')}, p.sex, p.medical_record_no, p.census, p.primary_provider_id, p.location_id AS p_location_id,
             p.flags::text AS flags, p.do_not_sms, p.restricted, p.deceased_date IS NOT NULL AS deceased, p.do_not_call, p.texts_stopped,
             EXISTS (SELECT FROM phone_number n WHERE n.organization_id = $1 AND n.kind = 'plain' AND n.released_at IS NULL
                        AND n.carrier_id IS NOT NULL) AS has_number`;

/** Days given by the caller, on the clock of the organization; looked up once in each statement. */
const RANGE = `
  range AS MATERIALIZED (SELECT $2::timestamp AT TIME ZONE time_zone AS from_at, ($3::date + 1)::timestamp AT TIME ZONE time_zone AS before
                           FROM organization WHERE id = $1)`;
const WITHIN = (of: string) =>
  `${of}.organization_id = $1 AND ${of}.starts_at >= (SELECT from_at FROM range) AND ${of}.starts_at < (SELECT before FROM range)`;

/** One statement for a page and its total. */
function pageStatement(name: string, from: string, where: string, order: string): { name: string; text: string } {
  return {
    name,
    text: `
      WITH ${RANGE}, page AS MATERIALIZED (SELECT a.id, ${order.split(',')[0]} AS at FROM ${from} WHERE ${where} ORDER BY ${order} LIMIT $4 OFFSET $5)
      SELECT (SELECT count(*) FROM ${from} WHERE ${where})::int AS total,
             ${APPOINTMENT_COLUMNS}
        FROM page JOIN appointment a ON a.organization_id = $1 AND a.id = page.id
        LEFT JOIN patient p ON p.organization_id = $1 AND p.id = a.patient_id AND p.status <> 'deleted'
       ORDER BY page.at, page.id`,
  };
}

const OF_USER = 'user_appointment u JOIN appointment a ON a.organization_id = u.organization_id AND a.id = u.appointment_id';
const SHOWN = `a.status <> 'cancelled'`;
const BY_START = 'a.starts_at, a.id';
const STATEMENTS = {
  user: pageStatement('of_user', OF_USER, `${WITHIN('u')} AND u.user_id = $6 AND ${SHOWN}`, 'u.starts_at, u.appointment_id'),
  status: pageStatement(
    'status_of_user',
    OF_USER,
    `${WITHIN('u')} AND u.user_id = $6 AND ${SHOWN} AND a.confirmation = $7::confirmation_answer`,
    'u.starts_at, u.appointment_id',
  ),
  office: pageStatement('of_office', 'appointment a', `${WITHIN('a')} AND a.office_id = $6 AND ${SHOWN}`, BY_START),
  all: pageStatement('of_all', 'appointment a', `${WITHIN('a')} AND ${SHOWN}`, BY_START),
};

const STATUSES = ['scheduled', 'arrived', 'roomed', 'in_progress', 'checked_out', 'completed', 'no_show', 'cancelled'];

const PERCENTAGE = {
  name: 'percentage',
  text: `WITH ${RANGE}
         SELECT count(*) FILTER (WHERE a.confirmation = 'Yes' AND ${SHOWN})::int AS confirmed, count(*) FILTER (WHERE a.confirmation = 'No' AND ${SHOWN})::int AS declined,
                count(*)::int AS counted, ${STATUSES.map((status) => `count(*) FILTER (WHERE a.status = '${status}')::int AS ${status}`).join(', ')}
           FROM appointment a WHERE ${WITHIN('a')}`,
};

type Counts = Record<string, number>;

const percentage = (part = 0, total = 0) => (total === 0 ? 0 : Math.round((part * 10_000) / total) / 100);

function writeCounts({ confirmed = 0, declined = 0, counted = 0, ...statuses }: Counts) {
  const { cancelled = 0, scheduled = 0, no_show } = statuses;
  const total = counted - cancelled;
  return {
    percentage: percentage(confirmed, total),
    confirmed,
    declined,
    pending: total - confirmed - declined,
    total,
    statuses,
    no_show_percentage: percentage(no_show, total - scheduled),
    cancelled_percentage: percentage(cancelled, counted),
  };
}

interface Question {
  min_appointment_date: string;
  max_appointment_date: string;
  page?: string;
  limit?: string;
  office?: string;
  user_id?: string;
  status?: string;
}

type Asked = FastifyRequest<{ Querystring: Question }>;

export function appointmentRoutes(app: FastifyInstance, pool: pg.Pool): void {
  async function page(request: Asked, statement: { name: string; text: string }, values: unknown[]): Promise<string> {
    const { min_appointment_date: min, max_appointment_date: max, page: number = '1', limit = '100' } = request.query;
    const offset = (Number(number) - 1) * Number(limit);
    const { rows } = await pool.query<AppointmentRow>({
      ...statement,
      values: [request.claims.org, min, max, Number(limit), offset, ...values],
    });
    const references = await findReferences(pool, request.claims.org, rows);
    return JSON.stringify({ data: writeAppointments(rows, references), ...around(request, Number(number), Number(limit), rows) });
  }

  const list = (path: string, answer: (request: Asked) => Promise<string>) =>
    app.get<{ Querystring: Question }>(path, async (request, reply) =>
      reply.type('application/json; charset=utf-8').send(await answer(request)),
    );

  list('/appointments', (request) => page(request, STATEMENTS.user, [request.claims.sub]));
  list('/appointments/all', (request) => page(request, STATEMENTS.office, [Number(request.query.office)]));
  list('/appointments/status', (request) => page(request, STATEMENTS.status, [Number(request.query.user_id), request.query.status]));
  list('/appointments/status/all', (request) => page(request, STATEMENTS.all, []));
  list('/appointments/percentage', async ({ claims, query }) => {
    const values = [claims.org, query.min_appointment_date, query.max_appointment_date];
    const { rows } = await pool.query<Counts>({ ...PERCENTAGE, values });
    return JSON.stringify({ data: writeCounts(rows[0] ?? {}) });
  });
}

/** The links and figures around a page. */
function around(request: Asked, page: number, limit: number, rows: AppointmentRow[]) {
  const total = rows[0]?.total ?? 0;
  const last = Math.max(1, Math.ceil(total / limit));
  const { pathname, searchParams } = new URL(request.url, `http://${request.headers.host}`);
  const link = (to: number) => {
    searchParams.set('page', String(to));
    searchParams.set('limit', String(limit));
    return `http://${request.headers.host}${pathname}?${searchParams}`;
  };
  const before = (page - 1) * limit;
  return {
    links: { first: link(1), last: link(last), next: page < last ? link(page + 1) : null, prev: page > 1 ? link(page - 1) : null },
    meta: {
      current_page: page,
      per_page: limit,
      from: rows.length > 0 ? before + 1 : null,
      to: rows.length > 0 ? before + rows.length : null,
      total,
      last_page: last,
    },
  };
}

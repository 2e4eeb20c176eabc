import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { finish, PRACTICE, RECORD, RECORD_JOINS, type Row } from './record.ts';

interface Search {
  lastname?: string;
  firstname?: string;
  departmentid?: string;
  limit?: string;
  offset?: string;
}

/**
 * The ids of a page and the total; each combination of filters has its own statement, planned once a connection. The
 * records come by a second one: joined and sorted in one, the wide rows cost half as much again.
 */
function searchStatement(by: { last: boolean; first: boolean; office: boolean }): { name: string; text: string } {
  const name = (place: number) => `without_separators(fold($${place}))`;
  const startsWith = (column: string, place: number) => `${column} >= ${name(place)} AND ${column} < ${name(place)} || chr(1114111)`;
  const conditions = ['k.organization_id = $1'];
  // As a subquery: a plan for any values would fold anew for each row.
  if (by.last) conditions.push(startsWith('k.last_key', 2), `k.shared_length < (SELECT char_length(${name(2)}))`);
  // The first key of each patient, in the words of the index that is read.
  else conditions.push(by.first ? 'k.ordinal = 1' : 'k.shared_length < 0');
  if (by.first) conditions.push(startsWith('k.first_key', 3));
  if (by.office) conditions.push('k.office_id = $4');
  const order = !by.last && by.first ? 'k.first_key, k.last_key, k.patient_id' : 'k.last_key, k.first_key, k.patient_id';
  const where = conditions.join(' AND ');
  return {
    name: `search_${by.last}_${by.first}_${by.office}`,
    text: `
      WITH given AS (SELECT $2::text, $3::text, $4::int)
      SELECT (SELECT count(*) FROM patient_name_key k WHERE ${where})::int AS total,
             ARRAY(SELECT k.patient_id FROM patient_name_key k WHERE ${where} ORDER BY ${order} LIMIT $5 OFFSET $6)::text AS ids`,
  };
}

/** In the order of the ids. `OFFSET 0` keeps the plan from reading all patients for a few. */
const BY_IDS = {
  name: 'patients_by_ids',
  text: `
    WITH ${PRACTICE}
    SELECT record.* FROM unnest($2::int[]) AS page (id)
     CROSS JOIN LATERAL (SELECT ${RECORD} FROM patient p ${RECORD_JOINS} WHERE p.organization_id = $1 AND p.id = page.id OFFSET 0) AS record`,
};

const BY_ID = {
  name: 'patient_by_id',
  text: `WITH ${PRACTICE} SELECT ${RECORD} FROM patient p ${RECORD_JOINS} WHERE p.organization_id = $1 AND p.id = $2 AND p.status <> 'deleted'`,
};

export function patientRoutes(app: FastifyInstance, pool: pg.Pool): void {
  app.get<{ Querystring: Search }>('/v1/:practiceid/patients', async (request, reply) => {
    const { lastname, firstname, departmentid, limit = '1500', offset = '0' } = request.query;
    const statement = searchStatement({ last: lastname !== undefined, first: firstname !== undefined, office: departmentid !== undefined });
    const values = [request.claims.org, lastname, firstname, departmentid, Number(limit), Number(offset)];
    const [found] = (await pool.query<{ total: number; ids: string }>({ ...statement, values })).rows;
    const { total, ids } = found ?? { total: 0, ids: '{}' };
    const { rows } = await pool.query<Row>({ ...BY_IDS, values: [request.claims.org, ids] });
    const seen = Number(offset) + rows.length;
    const next = seen < total ? `${request.url}&offset=${seen}&after=${rows.at(-1)?.patientid}` : undefined;
    return reply.type('application/json; charset=utf-8').send(JSON.stringify({ totalcount: total, next, patients: finish(rows) }));
  });

  app.get<{ Params: { patientid: string } }>('/v1/:practiceid/patients/:patientid', async (request, reply) => {
    const { rows } = await pool.query<Row>({ ...BY_ID, values: [request.claims.org, Number(request.params.patientid)] });
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(finish(rows)));
  });
}

import { statement } from '../../database/statement.ts';
import { pageOfAppointments } from './appointments.sql.ts';

/**
 * The bounds stand in selects of their own so that PostgreSQL thinks the same of every range. It would else plan each short
 * one anew, which takes longer than to read it.
 */
const BOUND = (of: string) =>
  `${of}.organization_id = $1 AND ${of}.starts_at >= (SELECT $2::timestamptz) AND ${of}.starts_at < (SELECT $3::timestamptz)`;

export interface FigureRow {
  confirmed: number;
  declined: number;
  total: number;
}

/**
 * The statements of one way. A page takes limit and offset after the values of the way; the first has no offset, because
 * of any that it does not know PostgreSQL thinks that it skips as much as it shows, and would plan short lists anew.
 * @param hidden the limit is kept from the planner as the bounds are: where nothing narrows it would else think of each anew
 */
function way(name: string, from: string, { at, id }: Order, values: number, { hidden = false }: { hidden?: boolean } = {}) {
  const [limit, offset] = [`$${values + 1}`, `$${values + 2}`];
  const page = (kind: string, window: string, first: string, last: string) => {
    const ids = `SELECT ${id} AS id, ${at} AS at, row_number() OVER (ORDER BY ${at}, ${id}) AS place ${from} ORDER BY ${at}, ${id} ${window}`;
    return pageOfAppointments(`appointments_${name}_${kind}`, ids, from, { first, last });
  };
  return {
    first: page('first', hidden ? `LIMIT (SELECT ${limit}::bigint)` : `LIMIT ${limit}`, '1', limit),
    page: page('page', `LIMIT ${limit} OFFSET ${offset}`, `${offset} + 1`, `${limit} + ${offset}`),
    count: statement<{ total: number }>(`appointments_${name}_count`, `SELECT count(*)::int AS total ${from}`),
    figures: statement<FigureRow>(
      `appointments_${name}_figures`,
      `SELECT count(*) FILTER (WHERE a.confirmation = 'Yes')::int AS confirmed, count(*) FILTER (WHERE a.confirmation = 'No')::int AS declined,
              count(*)::int AS total ${from}`,
    ),
  };
}

export type Way = ReturnType<typeof way>;

/** The start and the id by which rows are in order, where those are read. */
interface Order {
  at: string;
  id: string;
}
const BY_START: Order = { at: 'a.starts_at', id: 'a.id' };
const BY_START_OF_USER: Order = { at: 'u.starts_at', id: 'u.appointment_id' };

/**
 * The ways through the appointments of an organization that one index leads: cancelled ones, and those without a date, are
 * on none. Values: organization, from, before, and what leads if anything does. Narrowed, further ones, each null where it
 * does not narrow: type, location, confirmation, on tasks; further narrowed, after these: office, users of whom one takes
 * part, providers of whom one does, by name or as a user. On the whole way nothing is asked of a row but whether it was
 * cancelled, which makes counts of many rows shorter by a fifth.
 */
function ways(name: string, from: string, order: Order, led: 3 | 4) {
  const whole = `${from} AND a.status <> 'cancelled'`;
  const narrowed = `${whole} AND ${narrow(led + 1)}`;
  return {
    whole: way(name, whole, order, led, { hidden: true }),
    narrowed: way(`${name}_narrowed`, narrowed, order, led + 4),
    further: way(`${name}_further`, `${narrowed} AND ${narrowFurther(led + 5)}`, order, led + 7),
  };
}

/** No more than the indexes of times and of offices hold, so that counts need not look at rows. */
const narrow = (first: number) => `($${first}::int IS NULL OR a.type_id = $${first})
   AND ($${first + 1}::int IS NULL OR a.location_id = $${first + 1})
   AND ($${first + 2}::confirmation_answer IS NULL OR a.confirmation = $${first + 2})
   AND ($${first + 3}::bool IS NULL OR a.show_on_tasks = $${first + 3})`;

const narrowFurther = (first: number) => `($${first}::int IS NULL OR a.office_id = $${first})
   AND ($${first + 1}::int[] IS NULL OR EXISTS (
     SELECT FROM user_appointment o WHERE o.organization_id = $1 AND o.appointment_id = a.id AND o.user_id = ANY ($${first + 1})))
   AND ($${first + 2}::int[] IS NULL OR a.provider_id = ANY ($${first + 2}) OR EXISTS (
     SELECT FROM user_appointment o JOIN provider v ON v.organization_id = o.organization_id AND v.user_id = o.user_id
      WHERE o.organization_id = $1 AND o.appointment_id = a.id AND v.id = ANY ($${first + 2})))`;

const JOINED = 'JOIN appointment a ON a.organization_id = u.organization_id AND a.id = u.appointment_id';

/** Which way is right depends on what is asked for: each is led by the index that leaves least. */
export const WAYS = {
  /** Of everybody. */
  byTime: ways('by_time', `FROM appointment a WHERE ${BOUND('a')}`, BY_START, 3),
  /** Of one office. */
  byOffice: ways('by_office', `FROM appointment a WHERE ${BOUND('a')} AND a.office_id = $4`, BY_START, 4),
  /** Of one patient. */
  byPatient: ways('by_patient', `FROM appointment a WHERE ${BOUND('a')} AND a.patient_id = $4`, BY_START, 4),
  /** Of one user. */
  byUser: ways('by_user', `FROM user_appointment u ${JOINED} WHERE ${BOUND('u')} AND u.user_id = $4`, BY_START_OF_USER, 4),
  /** Of any of several users. */
  byUsers: ways(
    'by_users',
    `FROM (SELECT DISTINCT u.organization_id, u.starts_at, u.appointment_id FROM user_appointment u
            WHERE ${BOUND('u')} AND u.user_id = ANY ($4::int[])) u ${JOINED} WHERE true`,
    BY_START_OF_USER,
    4,
  ),
};

import { listOrder } from '../../../database/statements/list-order.ts';
import { statement } from '../../../database/statements/statement.ts';
import { unrestrictedUnless } from '../../patients/restrictions/restricted-charts.sql.ts';
import { APPOINTMENT_STATUSES, type AppointmentStatus } from '../../values/appointment-status.ts';
import { pageOfAppointments } from '../appointments.sql.ts';
import { VISITS_AFTER_DEATH } from '../visits/visits-of-deceased.sql.ts';

/**
 * Bounds stand in selects of their own so that PostgreSQL estimates every range alike. It would otherwise plan each short
 * range anew, which takes longer than reading it.
 */
const BOUND = (table: string) =>
  `${table}.organization_id = $1 AND ${table}.starts_at >= (SELECT $2::timestamptz) AND ${table}.starts_at < (SELECT $3::timestamptz)`;

export type StatusCounts = Record<AppointmentStatus, number>;

export interface ConfirmationCountRow {
  confirmed: number;
  declined: number;
  total: number;
}

const COUNTS = APPOINTMENT_STATUSES.map((status) => `count(*) FILTER (WHERE a.status = '${status}')::int AS ${status}`).join(', ');

/** The rows of a list in SQL. */
interface Rows {
  /** FROM and WHERE of the index that is read; cancelled ones are left out after it. */
  index: string;
  /** More of WHERE. */
  conditions: string;
}

/**
 * The statements of one list. A page takes limit and offset after the other values; the first page has no offset, because
 * PostgreSQL takes an unknown offset for a tenth of the rows, and would plan short lists anew.
 * @param values number of values that both take
 * @param hideLimit keeps the limit from the planner, as the bounds are: an unfiltered list would be planned anew for each
 */
function listQueries(name: string, { index, conditions }: Rows, { at, id }: Order, values: number, { hideLimit = false } = {}) {
  const from = `${index} AND a.status <> 'cancelled'${conditions}`;
  const [limit, offset] = [`$${values + 1}`, `$${values + 2}`];
  const page = (kind: string, window: string, last: string, after = '') => {
    const ids = `SELECT ${id} AS id, ${at} AS at, row_number() OVER (ORDER BY ${at}, ${id}) AS position ${from}${after} ORDER BY ${at}, ${id} ${window}`;
    return pageOfAppointments(`appointments_${name}_${kind}`, ids, from, last);
  };
  return {
    first: page('first', hideLimit ? `LIMIT (SELECT ${limit}::bigint)` : `LIMIT ${limit}`, limit),
    /** Limit, and the start and the id of the row before. */
    after: page(
      'after',
      `LIMIT ${limit}`,
      limit,
      ` AND ${listOrder(BY_START_NAME, [{ sql: at }, { sql: id }]).after((term) => `$${values + 2 + term}`)}`,
    ),
    page: page('page', `LIMIT ${limit} OFFSET ${offset}`, `${limit} + ${offset}`),
    count: statement<{ total: number }>(`appointments_${name}_count`, `SELECT count(*)::int AS total ${from}`),
    confirmations: statement<ConfirmationCountRow>(
      `appointments_${name}_confirmations`,
      `SELECT count(*) FILTER (WHERE a.confirmation = 'Yes')::int AS confirmed, count(*) FILTER (WHERE a.confirmation = 'No')::int AS declined,
              count(*)::int AS total ${from} AND a.id <> ALL (${VISITS_AFTER_DEATH})`,
    ),
    /** Cancelled ones too. */
    statuses: statement<StatusCounts>(
      `appointments_${name}_statuses`,
      `SELECT ${COUNTS} ${index}${conditions} AND a.id <> ALL (${VISITS_AFTER_DEATH})`,
    ),
  };
}

export type ListQueries = ReturnType<typeof listQueries>;

/** The order of all lists of appointments: by start, then by id. */
export const BY_START_NAME = 'appointments';

/** Columns of the start and the id that rows are sorted by, in the table whose index is read. */
interface Order {
  at: string;
  id: string;
}
const BY_START: Order = { at: 'a.starts_at', id: 'a.id' };
const BY_START_OF_USER: Order = { at: 'u.starts_at', id: 'u.appointment_id' };

/**
 * The lists of an organization's appointments that one index serves; cancelled ones, and those without a date, are in none.
 * Values: organization, from, before, and the leading column's where there is one; `filtered` takes four more, each null
 * where it does not filter: type, location, confirmation, on tasks; `filteredFurther` after these: office, users of whom one
 * takes part, providers of whom one is the appointment's or takes part as a user, the earliest change, the id in another system. `all` looks at no column but the status,
 * which makes counts of many rows shorter by a fifth.
 * @param leading number of values before the filters
 */
function listsBy(name: string, from: string, order: Order, leading: 3 | 4 | 5) {
  const filtered = ` AND ${filters(leading + 1)}`;
  const further = `${filtered} AND ${furtherFilters(leading + 5)}`;
  return {
    all: listQueries(name, { index: from, conditions: '' }, order, leading, { hideLimit: true }),
    filtered: listQueries(`${name}_filtered`, { index: from, conditions: filtered }, order, leading + 4),
    filteredFurther: listQueries(`${name}_filtered_further`, { index: from, conditions: further }, order, leading + 9),
  };
}

/** Only columns that the indexes by time and by office include, so that counts need not read the table. */
const filters = (first: number) => `($${first}::int IS NULL OR a.type_id = $${first})
   AND ($${first + 1}::int IS NULL OR a.location_id = $${first + 1})
   AND ($${first + 2}::confirmation_answer IS NULL OR a.confirmation = $${first + 2})
   AND ($${first + 3}::bool IS NULL OR a.show_on_tasks = $${first + 3})`;

const furtherFilters = (first: number) => `($${first}::int IS NULL OR a.office_id = $${first})
   AND ($${first + 1}::int[] IS NULL OR EXISTS (
     SELECT FROM user_appointment o WHERE o.organization_id = $1 AND o.appointment_id = a.id AND o.user_id = ANY ($${first + 1})))
   AND ($${first + 2}::int[] IS NULL OR a.provider_id = ANY ($${first + 2}) OR EXISTS (
     SELECT FROM user_appointment o JOIN provider v ON v.organization_id = o.organization_id AND v.user_id = o.user_id
      WHERE o.organization_id = $1 AND o.appointment_id = a.id AND v.id = ANY ($${first + 2})))
   AND ($${first + 3}::timestamptz IS NULL OR a.updated_at >= $${first + 3})
   AND ($${first + 4}::text IS NULL OR a.external_id = $${first + 4})`;

const JOINED = 'JOIN appointment a ON a.organization_id = $1 AND a.id = u.appointment_id';

/** The patient of the value $4, unless the chart is restricted and the caller may not see it. */
const VISIBLE_PATIENT = `(SELECT p.id FROM patient p WHERE p.organization_id = $1 AND p.id = $4 AND ${unrestrictedUnless('p', '$5')})`;

/** The lists by leading index: a request uses the one that leaves the fewest rows to filter. */
export const LISTS = {
  byTime: listsBy('by_time', `FROM appointment a WHERE ${BOUND('a')}`, BY_START, 3),
  byOffice: listsBy('by_office', `FROM appointment a WHERE ${BOUND('a')} AND a.office_id = $4`, BY_START, 4),
  /** Appointments of one patient. The leading value is followed by whether the caller may see restricted charts. */
  byPatient: listsBy('by_patient', `FROM appointment a WHERE ${BOUND('a')} AND a.patient_id = ${VISIBLE_PATIENT}`, BY_START, 5),
  byExternalId: listsBy('by_external_id', `FROM appointment a WHERE ${BOUND('a')} AND a.external_id = $4::text`, BY_START, 4),
  byUser: listsBy('by_user', `FROM user_appointment u ${JOINED} WHERE ${BOUND('u')} AND u.user_id = $4`, BY_START_OF_USER, 4),
  byUsers: listsBy(
    'by_users',
    `FROM (SELECT DISTINCT u.starts_at, u.appointment_id FROM user_appointment u
            WHERE ${BOUND('u')} AND u.user_id = ANY ($4::int[])) u ${JOINED} WHERE true`,
    BY_START_OF_USER,
    4,
  ),
};

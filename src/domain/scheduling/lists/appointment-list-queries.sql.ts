import { type FilterValues, filter, list, select, sortBy } from '../../../database/statements/list.ts';
import { unrestrictedUnless } from '../../patients/restrictions/restricted-charts.sql.ts';
import { APPOINTMENT_STATUSES, type AppointmentStatus } from '../../values/appointment-status.ts';
import { type AppointmentRow, selectAppointments } from '../appointment/appointments.sql.ts';
import type { ConfirmationAnswer } from '../appointment/confirmation.ts';
import { APPOINTMENTS_AFTER_DEATH } from '../status/appointments-of-deceased.sql.ts';

/** Counts read those on type, location, confirmation and tasks from the indexes by time and by office alone. */
const FILTERS = {
  /** The id, and whether the caller may see the chart if it is restricted. */
  patient: filter<[number, boolean]>(
    ['int', 'boolean'],
    (id, mayRestricted) =>
      `a.patient_id = (SELECT p.id FROM patient p WHERE p.organization_id = $1 AND p.id = ${id} AND ${unrestrictedUnless('p', mayRestricted)})`,
  ),
  externalId: filter<string>('text', (id) => `a.external_id = ${id}`),
  officeId: filter<number>('int', (id) => `a.office_id = ${id}`),
  typeId: filter<number>('int', (id) => `a.type_id = ${id}`),
  locationId: filter<number>('int', (id) => `a.location_id = ${id}`),
  confirmation: filter<ConfirmationAnswer>('confirmation_answer', (answer) => `a.confirmation = ${answer}`),
  showOnTasks: filter<boolean>('boolean', (shown) => `a.show_on_tasks = ${shown}`),
  /** One of these users takes part. */
  userIds: filter<number[]>(
    'int[]',
    (ids) =>
      `EXISTS (SELECT FROM user_appointment o WHERE o.organization_id = $1 AND o.appointment_id = a.id AND o.user_id = ANY (${ids}))`,
  ),
  /** One of these providers is the appointment's, or takes part as a user. */
  providerIds: filter<number[]>(
    'int[]',
    (ids) => `(a.provider_id = ANY (${ids}) OR EXISTS (
     SELECT FROM user_appointment o JOIN provider v ON v.organization_id = o.organization_id AND v.user_id = o.user_id
      WHERE o.organization_id = $1 AND o.appointment_id = a.id AND v.id = ANY (${ids})))`,
  ),
  /** Those that changed at this instant or later. */
  updatedSince: filter<Date>('timestamptz', (since) => `a.updated_at >= ${since}`),
};

export type ListFilter = FilterValues<typeof FILTERS>;

/** The order of all lists of appointments: by start, then by id. */
export const BY_START_NAME = 'appointments';

/** @param u the table whose index is read @param id its column with the id */
function listBy(name: string, from: string, where: string, { u, id }: { u: string; id: string }) {
  return list({
    name,
    select: select<AppointmentRow>('a.id'),
    from,
    where,
    shown: `a.status <> 'cancelled'`,
    filters: FILTERS,
    orders: { start: { ...sortBy(`${u}.starts_at`, `${u}.${id}`), position: BY_START_NAME } },
    hidesLimit: true,
    wrap: ({ page, rows, last }) =>
      `${selectAppointments(
        `(${page}) page JOIN appointment a ON a.organization_id = $1 AND a.id = page.id`,
        `, page.cursor, CASE WHEN page.place = ${last} THEN (SELECT count(*) ${rows})::int END AS total`,
      )} ORDER BY page.place`,
  });
}

/**
 * Bounds stand in selects of their own so that PostgreSQL estimates every range alike. Otherwise it would replan each short
 * range, which takes longer than reading it.
 */
const within = (table: string) =>
  `${table}.organization_id = $1 AND ${table}.starts_at >= (SELECT $2::timestamptz) AND ${table}.starts_at < (SELECT $3::timestamptz)`;

const JOINED = 'JOIN appointment a ON a.organization_id = $1 AND a.id = u.appointment_id';

/**
 * The organization's appointments by start; cancelled ones, and those without a date, are in none of their pages. Values: organization,
 * from, before.
 */
export const APPOINTMENTS = listBy('appointments', 'appointment a', within('a'), { u: 'a', id: 'id' });
/** Those of one user, the value $4, along the user's index. */
export const OF_USER = listBy('appointments_of_user', `user_appointment u ${JOINED}`, `${within('u')} AND u.user_id = $4`, {
  u: 'u',
  id: 'appointment_id',
});
/** Those of any of several users, the value $4. */
export const OF_USERS = listBy(
  'appointments_of_users',
  `(SELECT DISTINCT u.starts_at, u.appointment_id FROM user_appointment u WHERE ${within('u')} AND u.user_id = ANY ($4::int[])) u ${JOINED}`,
  'true',
  { u: 'u', id: 'appointment_id' },
);

export type AppointmentList = typeof APPOINTMENTS;

export type StatusCounts = Record<AppointmentStatus, number>;

export interface ConfirmationCounts {
  confirmed: number;
  declined: number;
  total: number;
}

/** Without cancelled appointments. */
export const confirmationCounts = (of: AppointmentList, given: ListFilter) =>
  of.totals<ConfirmationCounts>(
    {
      name: 'confirmations',
      columns: `count(*) FILTER (WHERE a.confirmation = 'Yes')::int AS confirmed, count(*) FILTER (WHERE a.confirmation = 'No')::int AS declined,
                count(*)::int AS total`,
      where: `a.status <> 'cancelled' AND a.id <> ALL (${APPOINTMENTS_AFTER_DEATH})`,
    },
    given,
  );

/** With cancelled appointments. */
export const statusCounts = (of: AppointmentList, given: ListFilter) =>
  of.totals<StatusCounts>(
    {
      name: 'statuses',
      columns: APPOINTMENT_STATUSES.map((status) => `count(*) FILTER (WHERE a.status = '${status}')::int AS ${status}`).join(', '),
      where: `a.id <> ALL (${APPOINTMENTS_AFTER_DEATH})`,
    },
    given,
  );

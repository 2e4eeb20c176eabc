import { type FilterValues, filter, list, nullable, type SortOf, select, sortBy } from '../../../database/statements/list.ts';
import { selectInstant } from '../../../database/statements/statement.ts';

/** One user's participation in an appointment that has a date and was not cancelled. */
export interface AssignmentRow {
  id: number;
  userId: number;
  appointmentId: number;
  /** In UTC, such as `2026-03-08T14:30:00Z`. */
  createdAt: string;
}

const FILTERS = {
  /** Of these users alone; an empty list matches nothing. */
  userIds: filter<number[]>('int[]', (ids) => `u.user_id = ANY (${ids})`),
  typeIds: filter<number[]>('int[]', (ids) => `a.type_id = ANY (${ids})`),
  showOnTasks: filter<boolean>('boolean', (shown) => `a.show_on_tasks = ${shown}`),
  /** Those of appointments that changed at this instant or later. */
  updatedSince: filter<Date>('timestamptz', (since) => `a.updated_at >= ${since}`),
};

export type AssignmentFilters = FilterValues<typeof FILTERS>;

/** The names of the practice's appointment types `y`, each folded once. */
const TYPE_KEYS = `LEFT JOIN (SELECT t.organization_id, t.id, fold(t.name) COLLATE "C" AS key FROM appointment_type t
                               WHERE t.organization_id = $1 OR t.is_global OFFSET 0) AS y
                ON y.organization_id = a.type_organization_id AND y.id = a.type_id`;

/**
 * Values: organization, first start, and the end of starts. Appointments without a type come last by its name.
 * @param start both tables have it: a user's day is a range of one's index, a day of all users is a range of the other's
 */
const listBy = (name: string, start: 'a.starts_at' | 'u.starts_at') =>
  list({
    name,
    select: select<AssignmentRow>(
      `u.id, u.user_id AS "userId", u.appointment_id AS "appointmentId", ${selectInstant('u.created_at')} AS "createdAt"`,
    ),
    from: 'user_appointment u JOIN appointment a ON a.organization_id = u.organization_id AND a.id = u.appointment_id',
    where: `u.organization_id = $1 AND a.organization_id = $1 AND a.status <> 'cancelled' AND ${start} >= $2::timestamptz AND ${start} < $3::timestamptz`,
    filters: FILTERS,
    orders: {
      id: sortBy('u.id'),
      userId: sortBy('u.user_id', 'u.starts_at', 'u.id'),
      appointmentId: sortBy('u.appointment_id', 'u.user_id'),
      startsAt: sortBy(start, 'a.id', 'u.user_id'),
      typeName: { ...sortBy(nullable('y.key'), start, 'a.id', 'u.user_id'), join: TYPE_KEYS },
      createdAt: sortBy('u.created_at', 'u.id'),
    },
  });

export const ASSIGNMENTS = listBy('assignments', 'a.starts_at');
export const ASSIGNMENTS_OF_USERS = listBy('assignments_users', 'u.starts_at');

export type AssignmentSort = SortOf<typeof ASSIGNMENTS>;

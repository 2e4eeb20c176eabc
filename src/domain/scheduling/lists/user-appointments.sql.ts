import { type ListOrder, listOrder } from '../../../database/statements/list-order.ts';
import { type Statement, selectInstant, statement } from '../../../database/statements/statement.ts';

/** One user's participation in an appointment that has a date and was not cancelled. */
export interface AssignmentRow {
  id: number;
  userId: number;
  appointmentId: number;
  /** In UTC, such as `2026-03-08T14:30:00Z`. */
  createdAt: string;
  position: string;
}

/** Sort orders of assignments; the id decides between equal ones, and appointments without a type come last. */
const ORDERS = {
  id: ['u.id'],
  userId: ['u.user_id', 'u.starts_at', 'u.id'],
  appointmentId: ['u.appointment_id', 'u.user_id'],
  startsAt: ['a.starts_at', 'a.id', 'u.user_id'],
  typeName: ['y.key', 'a.starts_at', 'a.id', 'u.user_id'],
  createdAt: ['u.created_at', 'u.id'],
} as const;
export type AssignmentOrder = keyof typeof ORDERS;

/** The names of the practice's appointment types `y`, each folded once. */
const TYPE_KEYS = `LEFT JOIN (SELECT t.organization_id, t.id, fold(t.name) COLLATE "C" AS key FROM appointment_type t
                               WHERE t.organization_id = $1 OR t.is_global OFFSET 0) AS y
                ON y.organization_id = a.type_organization_id AND y.id = a.type_id`;

export interface AssignmentListing {
  /** Of some users alone, read along the index by user. */
  ofUsers: boolean;
  order: AssignmentOrder;
  descending: boolean;
}

export function assignmentOrder({ ofUsers, order, descending }: AssignmentListing): ListOrder {
  const terms = ORDERS[order].map((term) => ({
    sql: ofUsers ? term.replace('a.starts_at', 'u.starts_at') : term,
    isNullable: term === 'y.key',
  }));
  return listOrder(`assignments_${ofUsers ? 'users_' : ''}${order}_${descending ? 'desc' : 'asc'}`, terms, descending);
}

/**
 * One page. Values: organization, first start and the end of starts (infinity where there is none), whether shown on tasks, ids of
 * types and the instant since which it changed (null for all), then limit and offset, then ids of the users, then the position before it.
 */
export function assignmentPage(listing: AssignmentListing, isAfter = false): Statement<AssignmentRow> {
  const { ofUsers, order } = listing;
  const { name, by, position, after } = assignmentOrder(listing);
  return statement(
    `${name}${isAfter ? '_after' : ''}`,
    `SELECT u.id, u.user_id AS "userId", u.appointment_id AS "appointmentId", ${selectInstant('u.created_at')} AS "createdAt", ${position} AS position
       ${fromListed(ofUsers, 9, order === 'typeName' ? TYPE_KEYS : '')}
       ${isAfter ? `AND ${after((term) => `$${9 + Number(ofUsers) + term}`)}` : ''} ORDER BY ${by} LIMIT $7 OFFSET $8`,
  );
}

/** Number of assignments. Values: as assignmentPage without limit and offset. */
export function assignmentCount(ofUsers: boolean): Statement<{ total: number }> {
  return statement(`assignment_count${ofUsers ? '_users' : ''}`, `SELECT count(*)::int AS total ${fromListed(ofUsers, 7)}`);
}

/** Both tables have the start: a user's day is a range of one's index, a day of all users is a range of the other's. */
function fromListed(ofUsers: boolean, users: number, joined = ''): string {
  const start = ofUsers ? 'u.starts_at' : 'a.starts_at';
  return `
      FROM user_appointment u JOIN appointment a ON a.organization_id = u.organization_id AND a.id = u.appointment_id ${joined}
     WHERE u.organization_id = $1 AND a.organization_id = $1 AND a.status <> 'cancelled'
       AND ${start} >= $2::timestamptz AND ${start} < $3::timestamptz
       AND ($4::boolean IS NULL OR a.show_on_tasks = $4) AND ($5::int[] IS NULL OR a.type_id = ANY ($5))
       AND ($6::timestamptz IS NULL OR a.updated_at >= $6)
       ${ofUsers ? `AND u.user_id = ANY ($${users}::int[])` : ''}`;
}

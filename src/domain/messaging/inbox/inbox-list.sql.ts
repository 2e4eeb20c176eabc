import { type Statement, statement } from '../../../database/statements/statement.ts';

/** The items that a list has; each combination is a statement of its own, with an index that fits it. */
export interface InboxFilter {
  /** Those of one call group. */
  group: boolean;
  /** Those of one user: assigned to them, or to nobody while they belong to one of their groups or to the whole practice. */
  mine: boolean;
  /** Only open ones, or only closed ones; undefined for both. */
  open: boolean | undefined;
}

const STATES = new Map([
  [true, 'open'],
  [false, 'closed'],
]);

const nameOf = ({ group, mine, open }: InboxFilter) =>
  [group ? 'group' : null, mine ? 'mine' : null, open === undefined ? null : STATES.get(open)].filter((part) => part !== null).join('_');

/** Values: organization, then the group and the user, as far as the filter has them, from the given number on. */
function items(filter: InboxFilter, first: number): string {
  const user = `$${first + Number(filter.group)}`;
  return `
      FROM inbox_item i
     WHERE i.organization_id = $1
       ${filter.open === undefined ? '' : `AND i.closed_at IS ${filter.open ? '' : 'NOT'} NULL`}
       ${filter.group ? `AND i.chat_id = $${first}` : ''}
       ${
         filter.mine
           ? `AND (i.assigned_user_id = ${user} OR (i.assigned_user_id IS NULL AND (i.chat_id IS NULL OR i.chat_id = ANY (ARRAY(
                SELECT m.chat_id FROM chat_member m WHERE m.organization_id = $1 AND m.user_id = ${user})))))`
           : ''
       }`;
}

/** The ids of one page, those with the newest entry first. Values: organization, limit, offset, and those of the filter. */
export const inboxPage = (filter: InboxFilter): Statement<{ id: number }> =>
  statement(`inbox_page_${nameOf(filter)}`, `SELECT i.id ${items(filter, 4)} ORDER BY i.latest_at DESC, i.id DESC LIMIT $2 OFFSET $3`);

/** Number of items. Values: organization, and those of the filter. */
export const inboxCount = (filter: InboxFilter): Statement<{ total: number }> =>
  statement(`inbox_count_${nameOf(filter)}`, `SELECT count(*)::int AS total ${items(filter, 2)}`);

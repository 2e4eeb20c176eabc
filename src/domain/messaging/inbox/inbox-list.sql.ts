import { listOrder } from '../../../database/statements/list-order.ts';
import { type Statement, unnamed } from '../../../database/statements/statement.ts';

export interface InboxFilter {
  /** Those of one call group. */
  group: boolean;
  /** Those of one user: assigned to them, or to nobody while they belong to one of their groups or to the whole practice. */
  mine: boolean;
  /** Only open ones, or only closed ones; undefined for both. */
  open: boolean | undefined;
  /** Those with an entry of one kind. */
  kind: boolean;
  /** Only those with an urgent entry, or only the others; undefined for both. */
  urgent: boolean | undefined;
  /** Those of one patient. */
  patient: boolean;
}

/** The parts of a filter that have a value, in the order of the values. */
const VALUES = ['group', 'mine', 'kind', 'patient'] as const;

/** Values: organization, then those of VALUES, as far as the filter has them, from the given number on. */
function items(filter: InboxFilter, first: number): string {
  const { open, urgent } = filter;
  const given = VALUES.filter((name) => filter[name]);
  const value = (name: (typeof VALUES)[number]) => `$${first + given.indexOf(name)}::${name === 'kind' ? 'text' : 'int'}`;
  const conditions = {
    group: () => `i.chat_id = ${value('group')}`,
    mine: () => `(i.assigned_user_id = ${value('mine')} OR (i.assigned_user_id IS NULL AND (i.chat_id IS NULL OR i.chat_id = ANY (ARRAY(
                SELECT m.chat_id FROM chat_member m WHERE m.organization_id = $1 AND m.user_id = ${value('mine')})))))`,
    kind: () => `EXISTS (SELECT FROM inbox_entry e
                WHERE e.organization_id = $1 AND e.inbox_item_id = i.id AND e.kind = ${value('kind')})`,
    patient: () => `i.patient_id = ${value('patient')}`,
  };
  const all = [
    'i.organization_id = $1',
    ...(open === undefined ? [] : [`i.closed_at IS ${open ? '' : 'NOT'} NULL`]),
    ...(urgent === undefined ? [] : [urgent ? 'i.urgent' : 'NOT i.urgent']),
    ...given.map((name) => conditions[name]()),
  ];
  return `FROM inbox_item i WHERE ${all.join(' AND ')}`;
}

/** Urgent ones first while they are open, then those with the newest entry. */
export const INBOX_ORDER = listOrder('inbox', [{ sql: 'h.rank' }, { sql: 'h.latest_at' }, { sql: 'h.id' }], true);

/**
 * The ids of one page. Each half is limited to the end of the page, so that both are read in the order of an index and no further. Values:
 * organization, limit, offset, those of the filter, and the position before the page.
 */
export function inboxPage(filter: InboxFilter, isAfter = false): Statement<{ id: number; position: string }> {
  const { by, position, after } = INBOX_ORDER;
  const next = 4 + VALUES.filter((name) => filter[name]).length;
  const later = isAfter ? `WHERE ${after((term) => `$${next + term}`)}` : '';
  const selectHalf = (condition: string, rank: number) => `
    (SELECT h.* FROM (SELECT i.id, i.latest_at, ${rank} AS rank ${items(filter, 4)} AND ${condition}) AS h ${later}
      ORDER BY h.latest_at DESC, h.id DESC LIMIT $2::int + $3::int)`;
  const halves = [selectHalf('i.urgent AND i.closed_at IS NULL', 2), selectHalf('NOT (i.urgent AND i.closed_at IS NULL)', 1)];
  return unnamed(
    `SELECT h.id, ${position} AS position FROM (${halves.join(' UNION ALL ')}) AS h ORDER BY ${by} LIMIT $2::int OFFSET $3::int`,
  );
}

/** Number of items. Values: organization, and those of the filter. */
export const inboxCount = (filter: InboxFilter): Statement<{ total: number }> =>
  unnamed(`SELECT count(*)::int AS total ${items(filter, 2)}`);

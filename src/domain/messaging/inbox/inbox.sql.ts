import { statement } from '../../../database/statements/statement.ts';
import { textsFrom } from '../numbers/sending-numbers.sql.ts';

/** The call group of the number from which the practice texts. Values: organization. */
export const MAIN_GROUP = statement<{ chatId: number | null }>(
  'main_group',
  `SELECT n.chat_id AS "chatId" FROM phone_number n
    WHERE n.organization_id = $1 AND ${textsFrom('n')}
    ORDER BY n.id LIMIT 1`,
);

/** The open item of a conversation that holds a No. Values: organization, call group or 0, contact or NONE. */
export const LOCK_DECLINED_ITEM = statement<{ id: number }>(
  'lock_declined_item',
  `SELECT i.id FROM inbox_item i
    WHERE i.organization_id = $1 AND coalesce(i.chat_id, 0) = $2 AND i.contact_id = $3 AND i.closed_at IS NULL
      AND EXISTS (SELECT FROM inbox_entry e WHERE e.organization_id = $1 AND e.inbox_item_id = i.id AND e.kind = 'declined')
      FOR NO KEY UPDATE`,
);

/** Values: organization, item. */
export const JOIN_ITEM = statement<never>(
  'join_item',
  'UPDATE inbox_item SET entry_count = entry_count + 1, latest_at = greatest(latest_at, now()) WHERE organization_id = $1 AND id = $2',
);

/** Values: organization, item, type and id of the subject. */
export const ADD_ACCEPTANCE = statement<never>(
  'add_acceptance',
  `INSERT INTO inbox_entry (organization_id, inbox_item_id, kind, subject_type, subject_id) VALUES ($1, $2, 'accepted', $3, $4)`,
);

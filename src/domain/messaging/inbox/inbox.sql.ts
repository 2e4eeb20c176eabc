import { statement } from '../../../database/statements/statement.ts';

/** The call group of the number from which the practice texts. Values: organization. */
export const MAIN_GROUP = statement<{ chatId: number | null }>(
  'main_group',
  `SELECT n.chat_id AS "chatId" FROM phone_number n
    WHERE n.organization_id = $1 AND n.kind = 'plain' AND n.released_at IS NULL AND n.carrier_id IS NOT NULL
    ORDER BY n.id LIMIT 1`,
);

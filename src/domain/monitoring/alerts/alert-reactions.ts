import type { Db } from '../../../database/database.ts';
import type { Caller } from '../../caller.ts';
import type { NewEvent } from '../../journal.ts';
import type { Reactions } from '../../unit-of-work/reactions.ts';
import { acknowledgeAlertsOfItem } from './alert-actions.ts';

const acknowledgeAlerts = (db: Db, caller: Caller, { id }: NewEvent): Promise<void> => acknowledgeAlertsOfItem(db, caller, id);

/** The consequences of what is done in the inbox for the alerts that it shows: people who look after a conversation know them. */
export const ALERT_REACTIONS: Reactions = {
  'inbox_item.acknowledged': acknowledgeAlerts,
  'inbox_item.closed': acknowledgeAlerts,
};

import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import type { Caller } from '../../caller.ts';
import type { NewEvent } from '../../journal.ts';
import type { Reaction, Reactions } from '../../unit-of-work/reactions.ts';
import { findMainGroup, openInboxItem } from '../inbox/inbox.ts';
import { UNSENT_MAIL, UNSENT_TEXT } from './unsent-check-ins.sql.ts';

const tellStaff =
  (found: typeof UNSENT_TEXT): Reaction =>
  async (db: Db, caller: Caller, { id: messageId }: NewEvent) => {
    const [checkIn] = await preparedIn(db).rows(found, [caller.organizationId, messageId]);
    if (!checkIn) return;
    const { id, patientId } = checkIn;
    const chatId = await findMainGroup(db, caller);
    await openInboxItem(db, caller, { kind: 'check_in_not_sent', subject: { type: 'check_in', id }, contactId: null, patientId, chatId });
  };

/** Tells staff that a schedule does not reach a patient, after two check-ins in a row. */
export const CHECK_IN_REACTIONS: Reactions = {
  'text.suppressed': tellStaff(UNSENT_TEXT),
  'text.failed': tellStaff(UNSENT_TEXT),
  'mail.suppressed': tellStaff(UNSENT_MAIL),
  'mail.failed': tellStaff(UNSENT_MAIL),
};

import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import type { Caller } from '../../caller.ts';
import type { NewEvent } from '../../journal.ts';
import type { Reaction } from '../../unit-of-work/unit-of-work.ts';
import { findMainGroup, openInboxItem } from '../inbox/inbox.ts';
import { UNSENT_MAIL, UNSENT_TEXT } from './unsent-check-ins.sql.ts';

/** Tells staff that a schedule does not reach a patient, after two check-ins in a row. */
const tellStaff =
  (found: typeof UNSENT_TEXT): Reaction =>
  async (db: Db, caller: Caller, { id: messageId }: NewEvent) => {
    const [checkIn] = await preparedIn(db).rows(found, [caller.organizationId, messageId]);
    if (!checkIn) return;
    const { id, patientId } = checkIn;
    const chatId = await findMainGroup(db, caller);
    await openInboxItem(db, caller, { kind: 'check_in_not_sent', subject: { type: 'check_in', id }, contactId: null, patientId, chatId });
  };

export const tellOfUnsentText = tellStaff(UNSENT_TEXT);
export const tellOfUnsentMail = tellStaff(UNSENT_MAIL);

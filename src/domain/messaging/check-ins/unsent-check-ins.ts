import { statement } from '../../../database/statements/statement.ts';
import type { NewEvent } from '../../journal.ts';
import type { Tx } from '../../tx.ts';
import type { Reaction } from '../../unit-of-work/unit-of-work.ts';
import { findMainGroup, openInboxItem } from '../inbox/inbox.ts';

/**
 * The check-in of a schedule that a message carried, where the one before it to the same patient was not sent either, and no open
 * item of the inbox says so. Values: organization, message.
 */
const unsentTwice = (column: 'sms_message_id' | 'mail_message_id') =>
  statement<{ id: number; patientId: number }>(
    `unsent_twice_${column}`,
    `SELECT c.id, c.patient_id AS "patientId"
       FROM check_in c
      WHERE c.organization_id = $1 AND c.${column} = $2
        AND (SELECT coalesce(t.state, m.state) IN ('suppressed', 'failed')
               FROM check_in b
               LEFT JOIN sms_message t ON t.organization_id = $1 AND t.id = b.sms_message_id
               LEFT JOIN mail_message m ON m.organization_id = $1 AND m.id = b.mail_message_id
              WHERE b.organization_id = $1 AND b.scheduled_check_in_id = c.scheduled_check_in_id AND b.patient_id = c.patient_id
                AND b.survey_type_id = c.survey_type_id AND b.occurrence_on < c.occurrence_on
              ORDER BY b.occurrence_on DESC LIMIT 1)
        AND NOT EXISTS (SELECT FROM inbox_item i JOIN inbox_entry e ON e.organization_id = $1 AND e.inbox_item_id = i.id
                         WHERE i.organization_id = $1 AND i.contact_id = c.patient_id AND i.closed_at IS NULL AND e.kind = 'check_in_not_sent')`,
  );

const UNSENT_TEXT = unsentTwice('sms_message_id');
const UNSENT_MAIL = unsentTwice('mail_message_id');

/** Tells staff that a schedule does not reach a patient, after two check-ins in a row. */
const tellStaff =
  (found: typeof UNSENT_TEXT): Reaction =>
  async (tx: Tx, { id: messageId }: NewEvent) => {
    const [checkIn] = await tx.rows(found, [messageId]);
    if (!checkIn) return;
    const { id, patientId } = checkIn;
    const chatId = await findMainGroup(tx);
    await openInboxItem(tx, { kind: 'check_in_not_sent', subject: { type: 'check_in', id }, contactId: null, patientId, chatId });
  };

export const tellOfUnsentText = tellStaff(UNSENT_TEXT);
export const tellOfUnsentMail = tellStaff(UNSENT_MAIL);

import type { Db } from '../../../database/database.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict } from '../../errors.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import { moveInboxEntries } from '../inbox/moved-entries.ts';
import { readConversationText } from './conversations.ts';

/**
 * Files a text of a conversation with another patient, or with nobody. What it left in the inbox goes with it.
 * @throws Failure not_found for the text and the patient; conflict for a text that waits, and for one that is about an appointment or
 *   has a link: both are its patient's
 */
export async function fileText(db: Db, caller: Caller, of: { number: string; id: number }, patientId: number | null): Promise<void> {
  const { organizationId } = caller;
  const { id, number } = of;
  await db.$queryRaw`SELECT id FROM sms_message WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const text = await readConversationText(db, caller, of);
  if (patientId !== null) await findPatient(db, caller, patientId, 'patientId');
  if (text.patientId === patientId) return;
  if (text.state === 'queued') throw conflict('text_waits', 'The text has not left. Withdraw it, and write it to the other patient.');
  if (text.appointmentId !== null) throw conflict('about_appointment', 'The text is about an appointment of its patient.');
  const none = { none: { organizationId } };
  const carriesLink = { checkIns: none, externalMessages: none, sessionInvites: none };
  const where = { organizationId, id, ...carriesLink };
  const { count } = await db.smsMessage.updateMany({ where, data: { patientId, ownNumber: false } });
  if (count === 0) throw conflict('has_link', 'The text has a link of its patient.');
  const patientIds = [text.patientId, patientId].filter((one) => one !== null);
  recordChange(caller, 'update', { name: 'text.filed', id, changed: ['patient'] }, patientIds);
  await moveInboxEntries(db, caller, { type: 'text', id }, { patientId, number });
}

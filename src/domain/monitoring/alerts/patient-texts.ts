import type { Db } from '../../../database/database.ts';
import { overAllPractices } from '../../../database/statements/all-practices.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { textUnlessRefused } from '../../messaging/queue/text-unless-refused.ts';
import { findRecipientLanguage } from '../../messaging/recipients/recipient-language.ts';
import type { Tx } from '../../tx.ts';
import type { RowKey } from '../../values/row-key.ts';
import { FRESH_HOURS } from './new-alerts.sql.ts';
import { lockPatientAlerts } from './new-alerts.ts';
import { renderGuidance } from './patient-guidance.ts';

/** Reasons for which a patient is not texted. Stored in rows, so the codes are stable. */
type NoTextReason = 'measured_earlier' | 'texted_recently' | 'no_sender_number';

/** A patient is told so once in an hour: who measures again and again knows. */
const MINUTES_BETWEEN_TEXTS = 60;

/** Alerts whose patients are to be texted, oldest first. */
export function listDuePatientTexts(db: Db, most: number): Promise<RowKey[]> {
  return db.$queryRaw<RowKey[]>`
    SELECT organization_id AS "organizationId", id FROM monitoring_alert a WHERE patient_text_due
     ORDER BY raised_at, id LIMIT ${most} ${overAllPractices('the job looks for what is due')}`;
}

/**
 * Texts the patient of a danger value what to do now, in quiet hours too, or notes why not. The text and the note of it are one
 * transaction, so that a patient is texted once.
 */
export async function textPatient(tx: Tx, id: number): Promise<void> {
  const [due] = await tx.prisma.$queryRaw<{ patientId: number; isFresh: boolean }[]>`
    SELECT patient_id AS "patientId", occurred_at > now() - make_interval(hours => ${FRESH_HOURS}::int) AS "isFresh"
      FROM monitoring_alert
     WHERE organization_id = ${tx.organizationId} AND id = ${id} AND patient_text_due FOR NO KEY UPDATE SKIP LOCKED`;
  if (!due) return;
  const { patientId } = due;
  await lockPatientAlerts(tx, [patientId]);
  const result = due.isFresh ? await send(tx, patientId) : 'measured_earlier';
  const told = typeof result === 'string' ? { patientTextReason: result } : { patientTextId: result.id };
  const where = tx.key(id);
  await tx.prisma.monitoringAlert.update({ where, data: { patientTextDue: false, ...told }, select: { id: true } });
  const changed = Object.keys(told);
  recordChange(tx, 'update', { name: 'monitoring_alert.changed', id, changed }, [patientId]);
}

async function send(tx: Tx, patientId: number): Promise<{ id: number } | NoTextReason> {
  if (await wasTextedRecently(tx, patientId)) return 'texted_recently';
  const text = await renderGuidance(tx, patientId, await findRecipientLanguage(tx, patientId));
  return (await textUnlessRefused(tx, { ...text, patientId, urgent: true })) ?? 'no_sender_number';
}

/** A text that was suppressed told the patient nothing, so the next danger value is another attempt. */
async function wasTextedRecently(tx: Tx, patientId: number): Promise<boolean> {
  const rows = await tx.prisma.$queryRaw<unknown[]>`
    SELECT 1 FROM monitoring_alert a
      JOIN sms_message m ON m.organization_id = a.organization_id AND m.id = a.patient_text_id AND m.state <> 'suppressed'
     WHERE a.organization_id = ${tx.organizationId} AND a.patient_id = ${patientId}
       AND m.queued_at > now() - make_interval(mins => ${MINUTES_BETWEEN_TEXTS}::int) LIMIT 1`;
  return rows.length > 0;
}

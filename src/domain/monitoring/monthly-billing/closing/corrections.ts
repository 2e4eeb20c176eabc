import { conflict } from '../../../errors.ts';
import { findPatient } from '../../../patients/chart/find-patient.ts';
import type { Tx } from '../../../tx.ts';
import { writeClosed } from '../ledger/closed-documents.ts';
import { findClosedRows } from '../ledger/closed-rows.ts';
import { currentRow } from '../ledger/ledger.ts';
import { listPatients } from '../ledger/ledger-patients.ts';
import { describeChanges, NOT_CLOSED_WITH } from '../ledger/row-changes.ts';
import { readPatientMonths } from '../patient-months.ts';
import { readBillingPeriod } from '../rules/billing-period.ts';
import { notClosed } from './closed-month-check.ts';
import { insertCorrectedRow, lockClosings, monthNumber } from './closed-row-store.ts';

export interface NewCorrection {
  /** `2026-11` */
  month: string;
  patientId: number;
  reason: string;
}

/**
 * Records what changed in a patient's closed month as a further version of the row, chained to the version before by its hash.
 * Rows that a month was closed with are version 1; a patient who came up later begins with version 2.
 * @throws Failure invalid for a malformed month; not_found for an unknown patient; conflict for a month that is open, and where
 *   nothing has changed
 */
export async function recordCorrection(tx: Tx, { month, patientId, reason }: NewCorrection): Promise<void> {
  await findPatient(tx, patientId, 'patientId');
  await lockClosings(tx);
  const period = await readBillingPeriod(tx, month);
  if (!period.closed) throw notClosed(month);
  const [patient] = await listPatients(tx, period, patientId, { page: 1, limit: 1 });
  const found = patient && (await readPatientMonths(tx, period, [patientId])).get(patientId);
  if (!patient || !found) throw nothingToCorrect();
  const before = (await findClosedRows(tx, month, [patientId])).get(patientId);
  const content = { row: currentRow(period, patient, found.month), evidence: found.evidence };
  if ((before ? describeChanges(before.row, content.row) : [NOT_CLOSED_WITH]).length === 0) throw nothingToCorrect();
  const newest = before?.versions.at(-1);
  const version = (newest?.version ?? 1) + 1;
  const recorded = { reason, recordedAt: new Date(), recordedById: tx.userId };
  const link = { ...tx.practice, version, previousHash: newest?.hash ?? null, ...recorded };
  await insertCorrectedRow(tx, { month, patientId, version, ...recorded, ...writeClosed(content, period, link) });
  const stored = (await findClosedRows(tx, month, [patientId])).get(patientId)?.versions.at(-1);
  const id = monthNumber(month);
  tx.journal.events.push({ name: 'ledger_month.corrected', id });
  tx.journal.audits.push({
    action: 'update',
    resource: 'closed_month',
    ids: [id],
    patientIds: [patientId],
    detail: `${month} patient ${patientId} version ${version} sha256 ${stored?.hash ?? ''}`,
  });
}

const nothingToCorrect = () => conflict('nothing_to_correct', 'The closed row already matches the month.');

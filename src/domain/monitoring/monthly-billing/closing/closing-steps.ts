import { databaseTime } from '../../../../database/clock.ts';
import type { Db } from '../../../../database/database.ts';
import type { Tx } from '../../../tx.ts';
import { writeClosed } from '../ledger/closed-documents.ts';
import { currentRow } from '../ledger/ledger.ts';
import { findLedgerPatients } from '../ledger/ledger-patients.ts';
import { readPatientMonths } from '../patient-months.ts';
import { type BillingPeriod, createBillingPeriod } from '../rules/billing-period.ts';
import { monthNumber } from './closed-row-store.ts';

/** Patients whose rows are worked out in one step. */
export const PATIENTS_A_STEP = 250;
/** Rows that one statement fixes. */
const FIXED_AT_ONCE = 2_500;

/** `refused`: holds were open. */
export type StepResult = 'more' | 'closed' | { refused: number };

interface ClosingUnderWay {
  id: number;
  month: string;
  timeZone: string;
  readings: BillingPeriod['readings'];
  supplyPeriod: BillingPeriod['supplyPeriod'];
  leaveHeld: boolean;
  patientIds: number[];
  done: number;
  held: number;
  requestedById: number;
}

export const listClosingsUnderWay = (db: Db): Promise<{ organizationId: number; id: number }[]> =>
  db.monthClosing.findMany({
    where: { finishedAt: null },
    select: { organizationId: true, id: true },
    orderBy: { requestedAt: 'asc' },
  });

/**
 * Takes a closing further by one step: works out the rows of the next patients, or after the last of them fixes all rows at once,
 * with the hash over them. Until then the month is open, and after a kill the next step follows the last one that was stored. A
 * closing that another process works on is left to it.
 * @returns `closed` also for a closing that is not under way
 */
export async function continueClosing(tx: Tx, closingId: number): Promise<StepResult> {
  const closing = await lockUnderWay(tx, closingId);
  if (!closing) return 'closed';
  const next = closing.patientIds.slice(closing.done, closing.done + PATIENTS_A_STEP);
  if (next.length > 0) {
    await workOut(tx, closing, next);
    return 'more';
  }
  const isRefused = closing.held > 0 && !closing.leaveHeld;
  if (!isRefused) await fixRows(tx, closing);
  await endClosing(tx, closing, isRefused);
  return isRefused ? { refused: closing.held } : 'closed';
}

async function lockUnderWay(tx: Tx, closingId: number): Promise<ClosingUnderWay | undefined> {
  const [closing] = await tx.prisma.$queryRaw<ClosingUnderWay[]>`
    SELECT id, month, time_zone AS "timeZone", readings::text AS readings, supply_period::text AS "supplyPeriod", leave_held AS "leaveHeld",
           patient_ids AS "patientIds", done, held, requested_by_id AS "requestedById"
      FROM month_closing
     WHERE organization_id = ${tx.organizationId} AND id = ${closingId} AND finished_at IS NULL
       FOR UPDATE SKIP LOCKED`;
  return closing;
}

/** Works out rows with their evidence, and keeps them aside. */
async function workOut(tx: Tx, closing: ClosingUnderWay, patientIds: number[]): Promise<void> {
  const { organizationId } = tx;
  const period = createBillingPeriod(closing.month, closing);
  const months = await readPatientMonths(tx, period, patientIds);
  const version = { organizationId, version: 1, previousHash: null, reason: null, recordedAt: null, recordedById: null };
  const rows = (await findLedgerPatients(tx, patientIds)).flatMap((patient) => {
    const found = months.get(patient.id);
    return found ? [{ row: currentRow(period, patient, found.month), evidence: found.evidence }] : [];
  });
  const texts = rows.map((content) => writeClosed(content, period, version));
  await tx.prisma.$executeRaw`
    INSERT INTO month_closing_row (organization_id, closing_id, patient_id, document, evidence)
    SELECT ${organizationId}, ${closing.id}, n.* FROM unnest(${rows.map(({ row }) => row.patient.id)}::int[],
      ${texts.map(({ document }) => document)}::text[], ${texts.map(({ evidence }) => evidence)}::text[]) AS n`;
  const held = rows.flatMap(({ row }) => row.holds).filter(({ release }) => release === null).length;
  await tx.prisma.monthClosing.update({
    where: tx.key(closing.id),
    data: { done: closing.done + patientIds.length, held: closing.held + held },
  });
}

/** Makes the rows that were kept aside those of the closed month, and stores its hash: over them all, and in the audit. */
async function fixRows(tx: Tx, closing: ClosingUnderWay): Promise<void> {
  const { organizationId, journal } = tx;
  const { id, month, timeZone, readings, supplyPeriod, patientIds, held, requestedById } = closing;
  // One value for the month and its rows: each node of several begins a transaction at a time of its own.
  const now = await databaseTime(tx.prisma);
  let rows = 0;
  for (let start = 0; start < patientIds.length; start += FIXED_AT_ONCE)
    rows += await tx.prisma.$executeRaw`
      INSERT INTO closed_ledger_row (organization_id, month, patient_id, version, document, hash, evidence, recorded_by_id, recorded_at)
      SELECT ${organizationId}, ${month}, patient_id, 1, document, sha256(convert_to(document, 'UTF8')), evidence, ${requestedById}, ${now}::timestamptz
        FROM month_closing_row
       WHERE organization_id = ${organizationId} AND closing_id = ${id}
         AND patient_id = ANY (${patientIds.slice(start, start + FIXED_AT_ONCE)}::int[])`;
  const [closed] = await tx.prisma.$queryRaw<{ hash: string }[]>`
    INSERT INTO closed_month (organization_id, month, time_zone, readings, supply_period, row_count, hash, held_count, closed_by_id, closed_at)
    SELECT ${organizationId}, ${month}, ${timeZone}, ${readings}::monitoring_readings, ${supplyPeriod}::monitoring_period, ${rows},
           ''::bytea, ${held}, ${requestedById}, ${now}::timestamptz
    RETURNING encode(hash, 'hex') AS hash`;
  const number = monthNumber(month);
  const detail = `${month} sha256 ${closed?.hash ?? ''}`;
  journal.events.push({ name: 'ledger_month.closed', id: number });
  journal.audits.push({ action: 'create', resource: 'closed_month', ids: [number], patientIds, detail });
}

async function endClosing(tx: Tx, { id }: ClosingUnderWay, isRefused: boolean): Promise<void> {
  await tx.prisma.monthClosingRow.deleteMany({ where: { ...tx.practice, closingId: id } });
  await tx.prisma.monthClosing.update({ where: tx.key(id), data: { finishedAt: new Date(), isRefused } });
}

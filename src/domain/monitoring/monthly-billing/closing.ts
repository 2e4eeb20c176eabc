import type { Db } from '../../../database/database.ts';
import type { Caller } from '../../caller.ts';
import { conflict } from '../../errors.ts';
import { writeInstant } from '../../values/time.ts';
import { type BillingPeriod, type MonthClosed, readBillingPeriod } from './billing-period.ts';
import { type ClosedTexts, writeClosed } from './closed-documents.ts';
import { currentRow } from './ledger.ts';
import { type LedgerPatient, listPatients, WHOLE_MONTH } from './ledger-patients.ts';
import { readPatientMonths } from './patient-months.ts';

export interface MonthToClose {
  /** `2026-11` */
  month: string;
  /** Closes although holds are open: what is held is not billed, and stays so. */
  leaveHeld: boolean;
}

/** Patients whose rows are stored at once. */
const BATCH = 250;
/** First key of the advisory lock of closings; the second one is the organization's id. */
const CLOSING_LOCK = 7_410_259;

/**
 * Closes a month: stores the row of each patient with all that it rests on, and a hash over all of them, which the audit keeps
 * too. From then on the ledger shows these rows, whatever changes.
 * @param report gets the number of patients whose rows are stored
 * @throws Failure invalid for a malformed month; conflict for a month that is not over or closed already, and for open holds
 */
export async function closeMonth(
  db: Db,
  caller: Caller,
  { month, leaveHeld }: MonthToClose,
  report: (done: number) => Promise<void> = async () => {},
): Promise<{ month: string; closed: MonthClosed }> {
  await lockClosings(db, caller);
  const period = await readBillingPeriod(db, caller, month);
  requireClosable(period);
  const patients = await listPatients(db, caller, period, null, WHOLE_MONTH);
  let held = 0;
  for (let start = 0; start < patients.length; start += BATCH) {
    held += await storeRows(db, caller, period, patients.slice(start, start + BATCH));
    await report(Math.min(start + BATCH, patients.length));
  }
  if (held > 0 && !leaveHeld) throw openHolds(held);
  await storeMonth(db, caller, period, { rows: patients.length, held });
  const { closed } = await readBillingPeriod(db, caller, month);
  if (!closed) throw new RangeError('a month that was closed is open');
  recordClosing(caller, period, closed, patients);
  return { month: period.month, closed };
}

/** Lets one closing or correction of a practice run at a time. */
export async function lockClosings(db: Db, { organizationId }: Caller): Promise<void> {
  await db.$queryRaw`SELECT pg_advisory_xact_lock(${CLOSING_LOCK}::int, ${organizationId}::int)::text`;
}

/** @throws Failure conflict for a month that is closed, or not over yet in the practice's time zone */
function requireClosable({ month, span, closed }: BillingPeriod): void {
  if (closed)
    throw conflict(
      'already_closed',
      `${month} was closed on ${writeInstant(closed.at)} by ${closed.by.firstName} ${closed.by.lastName}; its hash is ${closed.hash}.`,
    );
  if (span.before > Date.now()) throw conflict('month_not_over', `${month} is not over yet.`);
}

const openHolds = (held: number) =>
  conflict(
    'open_holds',
    `${held} ${held === 1 ? 'hold is' : 'holds are'} open: release ${held === 1 ? 'it' : 'them'}, or close with leave_held, which bills nothing of what is held.`,
  );

/** @returns the number of open holds */
async function storeRows(db: Db, caller: Caller, period: BillingPeriod, patients: readonly LedgerPatient[]): Promise<number> {
  const months = await readPatientMonths(
    db,
    caller,
    period,
    patients.map(({ id }) => id),
  );
  const version = { organizationId: caller.organizationId, version: 1, previousHash: null, reason: null };
  const rows = patients.flatMap((patient) => {
    const found = months.get(patient.id);
    return found ? [{ row: currentRow(period, patient, found.month), evidence: found.evidence }] : [];
  });
  await insertRows(
    db,
    caller,
    period,
    rows.map((content) => ({ patientId: content.row.patient.id, version: 1, reason: null, ...writeClosed(content, period, version) })),
  );
  return rows.flatMap(({ row }) => row.holds).filter(({ release }) => release === null).length;
}

export interface NewClosedRow extends ClosedTexts {
  patientId: number;
  version: number;
  reason: string | null;
}

/** Stores versions of closed rows with their hashes. */
export async function insertRows(
  db: Db,
  { organizationId, userId }: Caller,
  { month }: Pick<BillingPeriod, 'month'>,
  rows: readonly NewClosedRow[],
): Promise<void> {
  const column = <T>(pick: (row: NewClosedRow) => T) => rows.map(pick);
  await db.$executeRaw`
    INSERT INTO closed_ledger_row (organization_id, month, patient_id, version, document, hash, evidence, reason, recorded_by_id)
    SELECT ${organizationId}, ${month}, n.patient_id, n.version, n.document, sha256(convert_to(n.document, 'UTF8')), n.evidence, n.reason, ${userId}
      FROM unnest(${column(({ patientId }) => patientId)}::int[], ${column(({ version }) => version)}::int[],
                  ${column(({ document }) => document)}::text[], ${column(({ evidence }) => evidence)}::text[],
                  ${column(({ reason }) => reason)}::text[]) AS n (patient_id, version, document, evidence, reason)`;
}

/** Stores the closing, with the hash of the month: over `organization month`, and a line of patient and hash for each first version. */
async function storeMonth(
  db: Db,
  { organizationId, userId }: Caller,
  { month, timeZone, readings, supplyPeriod }: BillingPeriod,
  { rows, held }: { rows: number; held: number },
): Promise<void> {
  await db.$executeRaw`
    INSERT INTO closed_month (organization_id, month, time_zone, readings, supply_period, row_count, hash, held_count, closed_by_id)
    SELECT ${organizationId}, ${month}, ${timeZone}, ${readings}::monitoring_readings, ${supplyPeriod}::monitoring_period, ${rows},
           closed_month_hash(${organizationId}, ${month}), ${held}, ${userId}`;
}

/** The month as a number, `202611`: events and audit rows name it by this. */
export const monthNumber = (month: string): number => Number(month.replace('-', ''));

function recordClosing({ journal }: Caller, { month }: BillingPeriod, { hash }: MonthClosed, patients: readonly LedgerPatient[]): void {
  const id = monthNumber(month);
  const patientIds = patients.map((patient) => patient.id);
  journal.events.push({ name: 'ledger_month.closed', subject: 'closed_month', id });
  journal.audits.push({ action: 'create', resource: 'closed_month', ids: [id], patientIds, detail: `${month} sha256 ${hash}` });
}

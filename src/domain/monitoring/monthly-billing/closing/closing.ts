import { recordChange, recordRead } from '../../../audit/journal-entries.ts';
import { conflict } from '../../../errors.ts';
import type { Tx } from '../../../tx.ts';
import { writeInstant } from '../../../values/time/time.ts';
import { listPatients, WHOLE_MONTH } from '../ledger/ledger-patients.ts';
import { type BillingPeriod, type MonthClosed, readBillingPeriod } from '../rules/billing-period.ts';
import { lockClosings, monthNumber } from './closed-row-store.ts';
import { continueClosing, PATIENTS_A_STEP, type StepResult } from './closing-steps.ts';

export interface MonthToClose {
  /** `2026-11` */
  month: string;
  /** Closes although holds are open: what is held is not billed, and stays so. */
  leaveHeld: boolean;
}

export interface ClosingState {
  month: string;
  /** `refused`: holds were open at its end, and the month is open. */
  state: 'open' | 'closing' | 'closed' | 'refused';
  /** Patients with a row, and those whose row is worked out; none before somebody asks for the closing. */
  patients: number;
  done: number;
  /** Holds so far. */
  held: number;
  /** Null before somebody asks for the closing. */
  requested: { at: Date; by: { id: number; firstName: string; lastName: string } } | null;
  /** Null until the month is closed. */
  closed: MonthClosed | null;
}

/**
 * Closes a month: stores the row of each patient with all that it rests on, and a hash over all of them, which the audit keeps
 * too. From then on the ledger shows these rows, whatever changes. A month of few patients is closed at once; else the worker does
 * it in steps, and the month stays open until the last. A closing that is under way is answered as it is.
 * @throws Failure invalid for a malformed month; conflict for a month that is not over or closed already, and for open holds
 */
export async function closeMonth(tx: Tx, { month, leaveHeld }: MonthToClose): Promise<ClosingState> {
  await lockClosings(tx);
  const period = await readBillingPeriod(tx, month);
  requireClosable(period);
  const present = await findState(tx, period);
  if (present.state === 'closing') return present;
  const patients = await listPatients(tx, period, null, WHOLE_MONTH);
  const id = await openClosing(
    tx,
    period,
    patients.map((patient) => patient.id),
    leaveHeld,
  );
  if (patients.length <= PATIENTS_A_STEP) await closeAtOnce(tx, id);
  return findState(tx, await readBillingPeriod(tx, month));
}

/** The progress of closing a month. Audited. @throws Failure invalid for a malformed month */
export async function readClosing(tx: Tx, month: string): Promise<ClosingState> {
  const state = await findState(tx, await readBillingPeriod(tx, month));
  recordRead(tx, 'closed_month', [monthNumber(state.month)]);
  return state;
}

/** @throws Failure conflict for a month that is closed, or not over yet in the practice's time zone */
function requireClosable({ month, span, closed }: BillingPeriod): void {
  if (closed)
    throw conflict(
      'already_closed',
      `${month} was closed on ${writeInstant(closed.at)} by ${closed.by.firstName} ${closed.by.lastName}; its hash is ${closed.hash}.`,
    );
  if (span.before > Date.now()) throw conflict('month_not_over', `${month} has not ended yet.`);
}

async function openClosing(
  tx: Tx,
  { month, timeZone, readings, supplyPeriod }: BillingPeriod,
  patientIds: number[],
  leaveHeld: boolean,
): Promise<number> {
  const { userId } = tx;
  if (userId === null) throw new RangeError('a month is closed by a user');
  const { id } = await tx.prisma.monthClosing.create({
    data: { ...tx.practice, month, timeZone, readings, supplyPeriod, leaveHeld, patientIds, requestedById: userId },
    select: { id: true },
  });
  recordChange(tx, 'create', { name: 'month_closing.requested', id });
  return id;
}

/** @throws Failure conflict for open holds */
async function closeAtOnce(tx: Tx, id: number): Promise<void> {
  let result: StepResult = 'more';
  while (result === 'more') result = await continueClosing(tx, id);
  if (result !== 'closed') throw openHolds(result.refused);
}

const openHolds = (held: number) =>
  conflict(
    'open_holds',
    `${held} ${held === 1 ? 'hold is' : 'holds are'} open: release ${held === 1 ? 'it' : 'them'}, or close with leave_held, which bills nothing that is held.`,
  );

async function findState(tx: Tx, { month, closed }: BillingPeriod): Promise<ClosingState> {
  const newest = await tx.prisma.monthClosing.findFirst({
    where: { ...tx.practice, month },
    orderBy: { id: 'desc' },
    include: { requestedBy: { select: { id: true, firstName: true, lastName: true } } },
  });
  if (!newest) return { month, state: closed ? 'closed' : 'open', patients: 0, done: 0, held: 0, requested: null, closed };
  const { patientIds, done, held, requestedAt: at, requestedBy: by, finishedAt } = newest;
  const state = finishedAt === null ? 'closing' : closed ? 'closed' : 'refused';
  return { month, state, patients: patientIds.length, done, held, requested: { at, by }, closed };
}

import { recordReadWithPatients } from '../../../audit/journal-entries.ts';
import { findPatient } from '../../../patients/chart/find-patient.ts';
import type { NamedPatient } from '../../../patients/shared-numbers.sql.ts';
import type { Tx } from '../../../tx.ts';
import type { Page, PageRequest } from '../../../values/paging.ts';
import { countPatientMonths, type PatientMonth } from '../patient-months.ts';
import { type BillingPeriod, readBillingPeriod } from '../rules/billing-period.ts';
import { type ClaimFacts, findClaimFacts } from './claim-facts.ts';
import type { ClosedRow } from './closed-documents.ts';
import { type ClosedVersions, findClosedRows } from './closed-rows.ts';
import { countPatients, listPatients, WHOLE_MONTH } from './ledger-patients.ts';
import { describeChanges, describeCodes, NOT_CLOSED_WITH } from './row-changes.ts';

export interface LedgerRow extends ClosedRow {
  /** Null for a month that is open, and for a patient whose row came up after the closing; this has no code until it is corrected. */
  closed: ClosedVersions | null;
  /** Differences between a closed row and the month as it is now, in plain words. */
  pendingCorrections: string[];
}

export interface Ledger extends Page<LedgerRow> {
  period: BillingPeriod;
  /** The needs of claims beside the rows, by patient. */
  claims: ReadonlyMap<number, ClaimFacts>;
}

export interface LedgerRequest {
  /** `2026-11`; the current month in the practice's time zone unless given. */
  month?: string | undefined;
  patientId?: number | undefined;
}

/** Patients whose months are counted at once. */
const BATCH = 1_000;

/**
 * The monitoring of each patient in a month, with the CPT codes that it supports. Lists patients with readings or reviews in
 * the month and patients who were enrolled in a program then, by id. The rows of a closed month are those that were closed. Runs a
 * fixed number of statements for each 1,000 patients. Audited.
 * @throws Failure invalid for a malformed month; not_found for an unknown patient
 */
export async function readLedger(tx: Tx, request: LedgerRequest, page: PageRequest = WHOLE_MONTH): Promise<Ledger> {
  const patientId = request.patientId ?? null;
  if (patientId !== null) await findPatient(tx, patientId, 'patientId');
  const period = await readBillingPeriod(tx, request.month);
  const patients = await listPatients(tx, period, patientId, page);
  const items: LedgerRow[] = [];
  for (let start = 0; start < patients.length; start += BATCH)
    items.push(...(await readRows(tx, period, patients.slice(start, start + BATCH))));
  const ids = patients.map(({ id }) => id);
  if (ids.length > 0)
    recordReadWithPatients(tx, 'check_in_review', { ids: items.flatMap(({ reviewIds }) => reviewIds), patientIds: ids }, 'search');
  const total = patients[0]?.total ?? (await countPatients(tx, period, patientId, page));
  return { ...page, items, total, period, claims: await findClaimFacts(tx, period, ids) };
}

async function readRows(tx: Tx, period: BillingPeriod, patients: NamedPatient[]): Promise<LedgerRow[]> {
  const ids = patients.map(({ id }) => id);
  const months = await countPatientMonths(tx, period, ids);
  const closed = period.closed ? await findClosedRows(tx, period.month, ids) : new Map();
  return patients.flatMap((patient) => {
    const month = months.get(patient.id);
    return month ? [ledgerRow(period, currentRow(period, patient, month), closed.get(patient.id) ?? null)] : [];
  });
}

/** A row as it would be closed now. */
export function currentRow({ readings, rules }: BillingPeriod, { id, firstName, lastName }: NamedPatient, month: PatientMonth): ClosedRow {
  const sources = Object.fromEntries(month.codes.map(({ code }) => [code, rules.find((rule) => rule.code === code)?.source ?? '']));
  return { ...month, patient: { id, firstName, lastName }, readingsPolicy: readings, sources };
}

/** The closed row where there is one, with what has changed since; else the present one. */
export function ledgerRow({ closed: isClosed }: BillingPeriod, current: ClosedRow, closed: ClosedVersions | null): LedgerRow {
  if (!isClosed) return { ...current, closed: null, pendingCorrections: [] };
  if (!closed) return { ...current, codes: [], closed: null, pendingCorrections: [NOT_CLOSED_WITH, ...describeCodes(current)] };
  return { ...closed.row, closed, pendingCorrections: describeChanges(closed.row, current) };
}

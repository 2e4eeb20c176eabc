import { recordReadWithPatients } from '../../../audit/journal-entries.ts';
import { notFound } from '../../../errors.ts';
import { findPatient } from '../../../patients/chart/find-patient.ts';
import type { Tx } from '../../../tx.ts';
import { readPatientMonths } from '../patient-months.ts';
import { type BillingPeriod, readBillingPeriod } from '../rules/billing-period.ts';
import type { PatientEvidence } from '../rules/evidence-types.ts';
import { type ClaimFacts, findClaimFacts } from './claim-facts.ts';
import { readClosedEvidence } from './closed-documents.ts';
import { findClosedRows } from './closed-rows.ts';
import { currentRow, type LedgerRow, ledgerRow } from './ledger.ts';
import { listPatients } from './ledger-patients.ts';

export interface LedgerEvidence {
  period: BillingPeriod;
  row: LedgerRow;
  claim: ClaimFacts | null;
  /** Of a closed row, as it was stored with its newest version. */
  evidence: PatientEvidence;
  /** Names of the users who did the work and who recorded it, by id. */
  users: Map<number, string>;
}

/** Address of the page that shows it. */
export const evidencePath = (month: string, patientId: number): string => `/monitoring/ledger/${month}/patients/${patientId}`;

/**
 * Reads a patient's month with every reading and minute behind it. Audited.
 * @param month `2026-11`
 * @throws Failure invalid for a malformed month; not_found for an unknown patient, and for one without a row in the month
 */
export async function readLedgerEvidence(tx: Tx, month: string, patientId: number): Promise<LedgerEvidence> {
  await findPatient(tx, patientId, 'patientId');
  const period = await readBillingPeriod(tx, month);
  const [patient] = await listPatients(tx, period, patientId, { page: 1, limit: 1 });
  const found = patient && (await readPatientMonths(tx, period, [patientId])).get(patientId);
  if (!patient || !found) throw notFound('ledger row', 'patientId');
  const closed = period.closed ? ((await findClosedRows(tx, period.month, [patientId])).get(patientId) ?? null) : null;
  const stored = closed && (await findStoredEvidence(tx, period.month, patientId));
  const evidence = stored ?? found.evidence;
  const ids = evidence.reviews.map(({ id }) => id);
  recordReadWithPatients(tx, 'check_in_review', { ids, patientIds: [patientId] }, 'read');
  return {
    period,
    evidence,
    row: ledgerRow(period, currentRow(period, patient, found.month), closed),
    claim: (await findClaimFacts(tx, period, [patientId])).get(patientId) ?? null,
    users: await findNames(tx, evidence),
  };
}

async function findNames(tx: Tx, { consents, readings, reviews, visits }: PatientEvidence): Promise<Map<number, string>> {
  const recorders = [
    ...[...consents, ...readings].map(({ recordedById }) => recordedById),
    ...consents.map(({ revocationRecordedById }) => revocationRecordedById),
  ].filter((id) => id !== null);
  const ids = [...new Set([...recorders, ...reviews.map(({ userId }) => userId), ...visits.flatMap(({ userIds }) => userIds)])];
  const users = await tx.prisma.user.findMany({
    where: { ...tx.practice, id: { in: ids } },
    select: { id: true, firstName: true, lastName: true },
  });
  return new Map(users.map(({ id, firstName, lastName }) => [id, `${firstName} ${lastName}`]));
}

async function findStoredEvidence(tx: Tx, month: string, patientId: number): Promise<PatientEvidence | null> {
  const stored = await tx.prisma.closedLedgerRow.findFirst({
    where: { ...tx.practice, month, patientId },
    orderBy: { version: 'desc' },
    select: { evidence: true },
  });
  return stored && readClosedEvidence(stored.evidence);
}

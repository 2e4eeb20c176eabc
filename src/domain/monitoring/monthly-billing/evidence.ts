import type { Db } from '../../../database/database.ts';
import type { Caller } from '../../caller.ts';
import type { BillingPeriod } from './billing-period.ts';
import type { PatientEvidence } from './evidence-types.ts';
import { readPatientMonths } from './patient-months.ts';

/**
 * All that patients' rows in the ledger of a month rest on, and of each record whether it counts. Runs a fixed number of
 * statements. Not audited.
 */
export async function readEvidence(
  db: Db,
  caller: Caller,
  period: BillingPeriod,
  patientIds: number[],
): Promise<Map<number, PatientEvidence>> {
  const months = await readPatientMonths(db, caller, period, patientIds);
  return new Map([...months].map(([patientId, { evidence }]) => [patientId, evidence]));
}

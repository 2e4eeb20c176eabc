import type { Caller } from '../caller.ts';
import { notFound } from '../errors.ts';
import { PATIENT_LIMITS } from '../patients/field-limits.ts';
import type { NumberedChart } from '../patients/registration/register-many.sql.ts';
import { findNumberedCharts, isVisible, type NumberedCharts } from '../patients/registration/register-many.ts';
import type { Tx } from '../tx.ts';
import { recordNumber } from '../values/text-form.ts';
import { id, optional, text } from './rows/cells.ts';

/** The cells by which a row names the patient that it is about: one of them is enough. */
export const patientCells = {
  patientId: optional(id()),
  patientExternalId: optional(text(PATIENT_LIMITS.externalId, recordNumber)),
  patientRecordNo: optional(text(PATIENT_LIMITS.medicalRecordNo, recordNumber)),
};

export const PATIENT_REFERENCE_WORDS = {
  patientId: ['patient_uuid', 'patient'],
  patientRecordNo: ['patient_med_rec_no', 'med_rec_no', 'patient_mrn', 'mrn'],
} as const;

export interface PatientReference {
  patientId?: number | null | undefined;
  patientExternalId?: string | null | undefined;
  patientRecordNo?: string | null | undefined;
}

export type ReferredChart = Pick<NumberedChart, 'id' | 'status' | 'restricted' | 'primaryOfficeId'>;

export const findReferredCharts = (tx: Tx, rows: readonly PatientReference[]): Promise<NumberedCharts> =>
  findNumberedCharts(
    tx,
    rows.map(({ patientId, patientExternalId, patientRecordNo }) => ({
      id: patientId,
      externalId: patientExternalId,
      medicalRecordNo: patientRecordNo,
    })),
  );

/** The chart that a row names, or into which that was merged; null where it names none. @throws Failure not_found */
export function referredChart(
  caller: Caller,
  row: PatientReference,
  { byId, byExternalId, byRecordNumber }: NumberedCharts,
): ReferredChart | null {
  const candidates = [
    ['patientId', row.patientId, row.patientId && byId.get(row.patientId)],
    ['patientExternalId', row.patientExternalId, row.patientExternalId && byExternalId.get(row.patientExternalId)],
    ['patientRecordNo', row.patientRecordNo, row.patientRecordNo && byRecordNumber.get(row.patientRecordNo)],
  ] as const;
  const [given] = candidates.filter(([, value]) => value !== undefined && value !== null);
  if (!given) return null;
  const [field, , named] = given;
  const chart = named && (named.mergedInto ?? named);
  if (!chart || !isVisible(caller, chart)) throw notFound('patient', field);
  return chart;
}

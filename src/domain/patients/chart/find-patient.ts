import type { Patient } from '../../../generated/prisma/client.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { unrestrictedChartFor } from '../restrictions/restricted-charts.ts';

/** @throws Failure not_found, also for a deleted patient, and for a restricted or blocked one whom the caller may not see */
export async function findPatient(tx: Tx, id: number, field?: string): Promise<Patient> {
  const patient = await tx.prisma.patient.findFirst({ where: { ...whereVisiblePatient(tx), id } });
  if (!patient) throw notFound('patient', field);
  return patient;
}

/** One chart to show, with `doNotSms` also where its mobile number sent STOP; audited as read. @throws Failure as findPatient */
export async function readPatient(tx: Tx, id: number): Promise<Patient> {
  const patient = await findPatient(tx, id);
  recordRead(tx, 'patient', [id]);
  return withConsent(patient);
}

/** The chart as it is shown and compared: whether the patient wants no texts is its own flag or a STOP of its mobile number. */
const withConsent = (patient: Patient): Patient => ({ ...patient, doNotSms: patient.doNotSms || patient.textsStopped });

/**
 * The patient with this number in an external system, as readPatient shows it. The number of a chart that was merged leads to the other.
 * @param readings the ways in which the number may be meant; the first that a chart has counts
 * @throws Failure not_found, as findPatient
 */
export async function findPatientByRecordNumber(tx: Tx, readings: readonly string[]): Promise<Patient> {
  const found = await tx.prisma.patient.findMany({ where: { ...whereVisiblePatient(tx), medicalRecordNo: { in: [...readings] } } });
  const [patient] = readings.flatMap((number) => found.filter(({ medicalRecordNo }) => medicalRecordNo === number));
  if (!patient) return readPatient(tx, await findMergedInto(tx, readings));
  recordRead(tx, 'patient', [patient.id]);
  return withConsent(patient);
}

/** The charts that a caller may see, as a condition for Prisma: not deleted, and restricted ones only with the right. */
export const whereVisiblePatient = (caller: Caller) => ({
  organizationId: caller.organizationId,
  status: { not: 'deleted' as const },
  ...unrestrictedChartFor(caller),
});

/** The chart that remains after a merge of the one with a record number. @throws Failure not_found */
async function findMergedInto(tx: Tx, readings: readonly string[]): Promise<number> {
  const where = { ...tx.practice, medicalRecordNo: { in: [...readings] }, mergedIntoId: { not: null } };
  const merged = await tx.prisma.patient.findFirst({ where, select: { mergedIntoId: true } });
  if (!merged?.mergedIntoId) throw notFound('patient');
  return merged.mergedIntoId;
}

import type { Db } from '../../../database/database.ts';
import type { PatientRegistration, PatientStatus } from '../../../generated/prisma/client.ts';
import type { Caller } from '../../caller.ts';
import { findOffice, findOpenOffice } from '../../practices/offices.ts';
import { todayInPractice } from '../../practices/organizations.ts';
import { requireProvider } from '../../practices/providers/providers.ts';
import { holdChart, recordChartChange } from '../chart/chart.ts';

export interface RegistrationInput {
  officeId: number;
  status?: PatientStatus;
  /** Absent, it stays as it is. */
  primaryProviderId?: number;
}

/**
 * Registers a patient in one more office, or changes how an office knows the patient.
 * @throws Failure not_found, for a closed office too where the patient is not registered there
 */
export async function setRegistration(
  db: Db,
  caller: Caller,
  patientId: number,
  { officeId, ...given }: RegistrationInput,
): Promise<PatientRegistration> {
  const { organizationId } = caller;
  await holdChart(db, caller, patientId);
  if (given.primaryProviderId !== undefined) await requireProvider(db, caller, given.primaryProviderId);
  const key = { organizationId, patientId, officeId };
  const where = { organizationId_patientId_officeId: key };
  const isKnown = (await db.patientRegistration.count({ where: key })) > 0;
  const { providerGroupId } = await (isKnown ? findOffice : findOpenOffice)(db, caller, officeId);
  const registration = await db.patientRegistration.upsert({
    where,
    create: { ...key, ...given, providerGroupId, localPatientId: patientId, registeredOn: await todayInPractice(db, caller) },
    update: given,
  });
  recordChartChange(caller, patientId, 'registrations');
  return registration;
}

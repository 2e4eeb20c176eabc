import type { Office, Patient } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict } from '../../errors.ts';
import { findOpenOffice } from '../../practices/offices.ts';
import { findOrganization, todayInPractice } from '../../practices/organizations.ts';
import { requireProvider } from '../../practices/providers/providers.ts';
import type { Tx } from '../../tx.ts';
import { holdChart, recordChartChange } from './chart.ts';

export interface CopyInput {
  officeId: number;
  primaryProviderId?: number;
}

/**
 * Gives a patient of an enterprise practice a chart of its own in the financial group of an office: a departmental copy of
 * the same person, which is changed independently from then on. The id of the copy is the patient's local id there.
 * @throws Failure not_found, for a closed office too; conflict where the practice has no such groups, the chart is a copy itself, or the group has one already
 */
export async function copyChart(tx: Tx, patientId: number, { officeId, primaryProviderId }: CopyInput): Promise<Patient> {
  const original = await holdChart(tx, patientId);
  const office = await findOpenOffice(tx, officeId);
  if (primaryProviderId !== undefined) await requireProvider(tx, primaryProviderId);
  await checkCopy(tx, original, office);
  const { id: _, medicalRecordNo: __, firstNameFolded, lastNameFolded, createdAt, updatedAt, ...person } = original;
  const provider = primaryProviderId ?? null;
  const copy = await tx.prisma.patient.create({
    data: { ...person, enterpriseId: patientId, primaryOfficeId: officeId, primaryProviderId: provider, locationId: null },
  });
  const known = { providerGroupId: office.providerGroupId, primaryProviderId: provider, localPatientId: copy.id };
  const row = { ...tx.practice, officeId, registeredOn: await todayInPractice(tx), ...known };
  await tx.prisma.patientRegistration.create({ data: { ...row, patientId: copy.id } });
  await tx.prisma.patientRegistration.upsert({
    where: { organizationId_patientId_officeId: { ...tx.practice, patientId, officeId } },
    create: { ...row, patientId },
    update: known,
  });
  recordChange(tx, 'create', { name: 'patient.registered', id: copy.id });
  recordChartChange(tx, patientId, 'registrations');
  return copy;
}

async function checkCopy(tx: Tx, original: Patient, { providerGroupId }: Office): Promise<void> {
  const { organizationId } = tx;
  const organization = await findOrganization(tx.prisma, organizationId);
  if (!organization.isEnterprise)
    throw conflict('not_enterprise', 'The practice is not an enterprise practice: it has one chart for each patient.');
  if (original.enterpriseId !== null) throw conflict('is_copy', `The chart is a copy of patient ${original.enterpriseId}: copy that one.`);
  if (providerGroupId === null) throw conflict('no_provider_group', 'The office belongs to no provider group.');
  const existing = await tx.prisma.patient.findFirst({
    where: { organizationId, enterpriseId: original.id, status: { not: 'deleted' }, primaryOffice: { providerGroupId } },
    select: { id: true },
  });
  if (existing) throw conflict('copy_exists', `Patient ${existing.id} is already the copy in this provider group.`);
}

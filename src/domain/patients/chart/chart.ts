import type { Db } from '../../../database/database.ts';
import type { Patient } from '../../../generated/prisma/client.ts';
import { recordChange, recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { findOpenOffice } from '../../practices/offices.ts';
import { requireProvider } from '../../practices/providers/providers.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { withGuarantorAddress } from '../record/guarantor-address.ts';
import type { ChartInput } from './chart-input.ts';
import { findPatient } from './find-patient.ts';

/**
 * Locks a chart's row until the transaction ends, so that concurrent changes of the chart and of its sections follow one
 * another, and each reads the state that it changes.
 * @throws Failure not_found, for a deleted patient and another practice's too
 */
export async function holdChart(db: Db, caller: Caller, id: number): Promise<Patient> {
  await db.$queryRaw`SELECT id FROM patient WHERE organization_id = ${caller.organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  return findPatient(db, caller, id);
}

/** Records a change of these fields or sections of a chart. */
export function recordChartChange(caller: Caller, id: number, ...changed: string[]): void {
  recordChange(caller, 'update', { name: 'patient.updated', id, changed });
}

/** The same for many charts: one audit row names them all. */
export function recordChartChanges({ journal }: Caller, ids: readonly number[], ...changed: string[]): void {
  if (ids.length === 0) return;
  journal.events.push(...ids.map((id) => ({ name: 'patient.updated' as const, id, changed })));
  journal.audits.push({ action: 'update', resource: 'patient', ids: [...new Set(ids)] });
}

/**
 * Changes the fields that differ. The guarantor's address follows guarantor-address.ts.
 * @throws Failure not_found for another practice's patient, office, provider or employer, and for a closed office
 */
export async function updateChart(db: Db, caller: Caller, id: number, input: ChartInput): Promise<Patient> {
  const { organizationId } = caller;
  const before = await holdChart(db, caller, id);
  await checkReferences(db, caller, before, input);
  const changes = changesTo(before, withGuarantorAddress(before, input));
  const changed = Object.keys(changes);
  if (changed.length === 0) {
    recordRead(caller, 'patient', [id]);
    return before;
  }
  const patient = await db.patient.update({ where: { organizationId_id: { organizationId, id } }, data: changes });
  recordChartChange(caller, id, ...changed);
  return patient;
}

async function checkReferences(db: Db, caller: Caller, before: Patient, input: ChartInput): Promise<void> {
  const { primaryOfficeId, primaryProviderId, employerId, guarantorEmployerId } = input;
  const isNewOffice = primaryOfficeId !== before.primaryOfficeId;
  if (typeof primaryOfficeId === 'number' && isNewOffice) await findOpenOffice(db, caller, primaryOfficeId);
  if (typeof primaryProviderId === 'number') await requireProvider(db, caller, primaryProviderId);
  for (const id of [employerId, guarantorEmployerId]) if (typeof id === 'number') await requireEmployer(db, caller, id);
}

async function requireEmployer(db: Db, { organizationId }: Caller, id: number): Promise<void> {
  const found = await db.employer.findUnique({ where: { organizationId_id: { organizationId, id } }, select: { id: true } });
  if (!found) throw notFound('employer');
}

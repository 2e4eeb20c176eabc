import type { Patient } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import type { Tx } from '../../tx.ts';
import { findPatient } from './find-patient.ts';

/**
 * Locks a chart's row until the transaction ends, so that concurrent changes of the chart and of its sections follow one
 * another, and each reads the state that it changes.
 * @throws Failure not_found, for a deleted patient and another practice's too
 */
export async function holdChart(tx: Tx, id: number): Promise<Patient> {
  await tx.prisma.$queryRaw`SELECT id FROM patient WHERE organization_id = ${tx.organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  return findPatient(tx, id);
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

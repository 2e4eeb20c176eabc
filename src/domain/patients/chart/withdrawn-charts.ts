import type { Db } from '../../../database/database.ts';
import type { Caller } from '../../caller.ts';
import type { NewEvent } from '../../journal.ts';

/** The charts of a person that are there for everybody: this one, and its departmental copies. */
export async function unrestrictedCharts(db: Db, { organizationId }: Caller, id: number): Promise<number[]> {
  const where = { organizationId, restricted: false, status: { not: 'deleted' as const }, OR: [{ id }, { enterpriseId: id }] };
  return (await db.patient.findMany({ where, select: { id: true }, orderBy: { id: 'asc' } })).map((chart) => chart.id);
}

/** Tells readers who may not see charts any more to delete their copies. The event does not say why. */
export function withdrawCharts({ journal }: Caller, ids: readonly number[]): void {
  for (const id of ids) journal.events.push({ name: 'patient.withdrawn', id });
}

/** Tells readers of the log to delete their copies of a chart that was deleted. */
export async function withdrawDeleted(db: Db, caller: Caller, { id }: NewEvent): Promise<void> {
  const { organizationId } = caller;
  const isDeleted = (await db.patient.count({ where: { organizationId, id, status: 'deleted' } })) > 0;
  if (isDeleted) withdrawCharts(caller, [id]);
}

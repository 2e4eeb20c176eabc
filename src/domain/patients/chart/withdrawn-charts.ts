import type { Caller } from '../../caller.ts';
import type { NewEvent } from '../../journal.ts';
import type { Tx } from '../../tx.ts';

/** The charts of a person that are there for everybody: this one, and its departmental copies. */
export async function unrestrictedCharts(tx: Tx, id: number): Promise<number[]> {
  const where = {
    ...tx.practice,
    restricted: false,
    status: { not: 'deleted' as const },
    OR: [{ id }, { enterpriseId: id }],
  };
  return (await tx.prisma.patient.findMany({ where, select: { id: true }, orderBy: { id: 'asc' } })).map((chart) => chart.id);
}

/** Tells readers who may not see charts any more to delete their copies. The event does not say why. */
export function withdrawCharts({ journal }: Caller, ids: readonly number[]): void {
  for (const id of ids) journal.events.push({ name: 'patient.withdrawn', id });
}

/** Tells readers of the log to delete their copies of a chart that was deleted. */
export async function withdrawDeleted(tx: Tx, { id }: NewEvent): Promise<void> {
  const isDeleted = (await tx.prisma.patient.count({ where: { ...tx.practice, id, status: 'deleted' } })) > 0;
  if (isDeleted) withdrawCharts(tx, [id]);
}

import { type Caller, listOpenedCharts, maySeeChart, maySeeRestricted } from '../../caller.ts';
import type { Tx } from '../../tx.ts';
import { RESTRICTED_AMONG } from './restricted-charts.sql.ts';

/** Filter for Prisma of charts: restricted and blocked ones only for callers who may see them. */
export function unrestrictedChartFor(caller: Caller) {
  if (maySeeRestricted(caller)) return {};
  return listOpenedCharts(caller).length === 0 ? { restricted: false } : { NOT: restrictedTo(caller) };
}

/** Filter for Prisma of rows that may be about a patient: those about restricted and blocked ones only for callers who may see them. */
export const unrestrictedFor = (caller: Caller) => (maySeeRestricted(caller) ? {} : { NOT: { patient: restrictedTo(caller) } });

/** Filter for Prisma of the restricted and blocked charts that a caller without the right has not opened either. */
const restrictedTo = (caller: Caller) => {
  const opened = listOpenedCharts(caller);
  return { organizationId: caller.organizationId, restricted: true, ...(opened.length === 0 ? {} : { id: { notIn: opened } }) };
};

/** Filter for Prisma of charts that are listed for a caller: those with name keys, and those that the caller has opened. */
export function whereListed(caller: Caller) {
  const { organizationId } = caller;
  const opened = listOpenedCharts(caller);
  const listed = { organizationId, nameKeys: { some: { organizationId, ordinal: 1 } } };
  return opened.length === 0 ? listed : { OR: [listed, { organizationId, id: { in: opened }, status: { not: 'deleted' as const } }] };
}

/** Whether one of these charts is restricted or blocked, and the caller may not see it. */
export async function isAnyWithheld(tx: Tx, patientIds: number[]): Promise<boolean> {
  const unseen = patientIds.filter((id) => !maySeeChart(tx, id));
  if (unseen.length === 0) return false;
  return (await tx.rows(RESTRICTED_AMONG, [unseen])).length > 0;
}

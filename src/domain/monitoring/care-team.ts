import { Prisma } from '../../generated/prisma/client.ts';
import { type Caller, listOpenedCharts } from '../caller.ts';
import { whereListed } from '../patients/restrictions/restricted-charts.ts';
import type { Tx } from '../tx.ts';

/** Whether user `u` is on the care team of patient `p`: the user of a condition that is tracked now, or the patient's primary provider. */
export const isOnCareTeam = ({ organizationId }: Pick<Caller, 'organizationId'>) => Prisma.sql`(
  EXISTS (SELECT FROM tracked_condition t WHERE t.organization_id = ${organizationId} AND t.patient_id = p.id
             AND t.user_id = u.id AND t.ended_at IS NULL)
  OR EXISTS (SELECT FROM provider v WHERE v.organization_id = ${organizationId} AND v.id = p.primary_provider_id AND v.user_id = u.id))`;

/**
 * Users to notify of a review: the user who did the work and the patient's care team, if they accept push notices. The caller
 * is included only where there is nobody else.
 */
export async function findUsersToNotify(tx: Tx, { patientId, userId }: { patientId: number; userId: number }): Promise<number[]> {
  const rows = await tx.prisma.$queryRaw<{ id: number }[]>`
    SELECT u.id FROM "user" u JOIN patient p ON p.organization_id = u.organization_id AND p.id = ${patientId}
     WHERE u.organization_id = ${tx.organizationId} AND u.active AND u.type <> 'interface' AND u.receive_push_notices
       AND (u.id IN (${userId}, ${tx.userId}) OR ${isOnCareTeam(tx)})
     ORDER BY u.id`;
  const ids = rows.map(({ id }) => id);
  const others = ids.filter((id) => id !== tx.userId);
  return others.length > 0 ? others : ids;
}

/**
 * Whether the chart of patient `p` is listed for a caller: also one that the caller has opened. Deleted, restricted and blocked charts
 * have no name keys.
 */
export function isListedFor(caller: Caller): Prisma.Sql {
  const opened = listOpenedCharts(caller);
  const isListed = Prisma.sql`EXISTS (
  SELECT FROM patient_name_key k WHERE k.organization_id = ${caller.organizationId} AND k.patient_id = p.id AND k.ordinal = 1)`;
  return opened.length === 0 ? isListed : Prisma.sql`(${isListed} OR p.id = ANY (${opened}::int[]) AND p.status <> 'deleted')`;
}

/** The same as a Prisma filter of rows with a patient. */
export const hasListedPatient = (caller: Caller) => ({ patient: whereListed(caller) }) as const;

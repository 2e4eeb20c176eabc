import { notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { isListedFor, isOnCareTeam } from '../care-team.ts';

/** Counts of the check-ins of a user's patients. Reviewed and unreviewed add up to the total, and so do answered and unanswered. */
export interface CheckInCounts {
  userId: number;
  total: number;
  answered: number;
  unanswered: number;
  reviewed: number;
  unreviewed: number;
  /** Answered and not reviewed. */
  open: number;
}

/** Counts the check-ins that a user sent, and those of patients with the user on the care team. @throws Failure not_found */
export async function countCheckIns(tx: Tx, userId: number): Promise<CheckInCounts> {
  const { organizationId } = tx;
  const user = await tx.prisma.user.findFirst({ where: { organizationId, id: userId, type: { not: 'interface' } }, select: { id: true } });
  if (!user) throw notFound('user', 'userId');
  const [counts] = await tx.prisma.$queryRaw<Omit<CheckInCounts, 'userId' | 'unanswered' | 'unreviewed'>[]>`
    SELECT count(*)::int AS total, count(*) FILTER (WHERE answered)::int AS answered, count(*) FILTER (WHERE reviewed)::int AS reviewed,
           count(*) FILTER (WHERE answered AND NOT reviewed)::int AS open
      FROM (SELECT c.answered_at IS NOT NULL AS answered,
                   EXISTS (SELECT FROM check_in_review r WHERE r.organization_id = ${organizationId} AND r.check_in_id = c.id
                              AND r.deleted_at IS NULL) AS reviewed
              FROM check_in c JOIN patient p ON p.organization_id = c.organization_id AND p.id = c.patient_id
              JOIN "user" u ON u.organization_id = c.organization_id AND u.id = ${userId}
             WHERE c.organization_id = ${organizationId} AND (c.sent_by_user_id = u.id OR ${isOnCareTeam(tx)}) AND ${isListedFor(tx)}) AS mine`;
  const { total = 0, answered = 0, reviewed = 0, open = 0 } = counts ?? {};
  return { userId, total, answered, unanswered: total - answered, reviewed, unreviewed: total - reviewed, open };
}

import type { PracticeTx } from '../../tx.ts';
import { clientSecretDays, isOldSecret } from '../clients/client-secrets.ts';

/** Numbers of a practice's users and clients that a stricter security policy would concern. */
export interface PolicyCoverage {
  users: number;
  /** Of them, active users who have neither a passkey nor an authenticator app. */
  usersWithoutSecondFactor: number;
  adminsWithoutSecondFactor: number;
  /** Active clients whose newest valid secret should be changed (isOldSecret). */
  clientsWithOldSecrets: number;
}

/** The coverage of a practice. Clients that act for other practices too are counted in each. */
export async function readPolicyCoverage(tx: PracticeTx): Promise<PolicyCoverage> {
  const { organizationId } = tx;
  const [users] = await tx.prisma.$queryRaw<Omit<PolicyCoverage, 'clientsWithOldSecrets'>[]>`
    SELECT count(*)::int AS users,
           count(*) FILTER (WHERE NOT has_factor)::int AS "usersWithoutSecondFactor",
           count(*) FILTER (WHERE NOT has_factor AND type = 'admin')::int AS "adminsWithoutSecondFactor"
      FROM (SELECT u.type, EXISTS (SELECT FROM second_factor f WHERE f.organization_id = ${organizationId} AND f.user_id = u.id) AS has_factor
              FROM "user" u WHERE u.organization_id = ${organizationId} AND u.active AND u.type <> 'interface') AS person`;
  const days = await clientSecretDays(tx.prisma, [organizationId]);
  const clients = await tx.prisma.apiClient.findMany({
    where: { active: true, grants: { some: { organizationId } } },
    select: {
      secrets: {
        where: { OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
        select: { createdAt: true },
        orderBy: { createdAt: 'desc' },
        take: 1,
      },
    },
  });
  const clientsWithOldSecrets = clients.filter(({ secrets }) => secrets.some((secret) => isOldSecret(secret, days))).length;
  return { users: 0, usersWithoutSecondFactor: 0, adminsWithoutSecondFactor: 0, ...users, clientsWithOldSecrets };
}

import type { Db } from '../../database/database.ts';

/** The ids of those sessions that are still valid for an active user (see sessionUser), found by one statement. */
export async function findOpenSessions(db: Db, sessions: readonly { organizationId: number; sessionId: string }[]): Promise<Set<string>> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    SELECT s.id FROM unnest(${sessions.map(({ organizationId }) => organizationId)}::int[],
                            ${sessions.map(({ sessionId }) => sessionId)}::uuid[]) AS requested (organization_id, id)
      JOIN session s ON s.organization_id = requested.organization_id AND s.id = requested.id
      JOIN "user" u ON u.organization_id = s.organization_id AND u.id = s.user_id
      JOIN organization o ON o.id = s.organization_id
     WHERE s.revoked_at IS NULL AND s.expires_at > clock_timestamp() AND u.active AND u.type <> 'interface' AND o.active`;
  return new Set(rows.map(({ id }) => id));
}

import { databaseTime } from '../../../database/clock.ts';
import type { Db } from '../../../database/database.ts';

/** The ids of those sessions that are still valid for an active user (see sessionUser), found by one statement a practice. */
export async function findOpenSessions(db: Db, sessions: readonly { organizationId: number; sessionId: string }[]): Promise<Set<string>> {
  if (sessions.length === 0) return new Set();
  const now = await databaseTime(db);
  const open = new Set<string>();
  for (const [organizationId, ofPractice] of Map.groupBy(sessions, (session) => session.organizationId)) {
    const ids = ofPractice.map(({ sessionId }) => sessionId);
    const found = await db.$queryRaw<{ id: string }[]>`
      SELECT s.id FROM session s
        JOIN "user" u ON u.organization_id = s.organization_id AND u.id = s.user_id
        JOIN organization o ON o.id = s.organization_id
       WHERE s.organization_id = ${organizationId} AND s.id = ANY (${ids}::uuid[]) AND s.revoked_at IS NULL
         AND s.expires_at > ${now}::timestamptz AND u.active AND u.type <> 'interface' AND o.active`;
    for (const { id } of found) open.add(id);
  }
  return open;
}

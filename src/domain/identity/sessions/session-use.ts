import { before, databaseTime } from '../../../database/clock.ts';
import type { Db } from '../../../database/database.ts';
import { readSecurityPolicy } from '../policies/security-policy.ts';

/** Use is written at most so often, so that few requests cost a write. */
const NOTED_EVERY_MS = 60_000;

interface UsedSession {
  organizationId: number;
  id: string;
  lastUsedAt: Date;
}

/**
 * Notes that a session is in use, and under an idle timeout moves its end. Not awaited by the request; a failure is left to the
 * request of the next minute.
 */
export function noteUse(db: Db, session: UsedSession): void {
  if (Date.now() - session.lastUsedAt.getTime() < NOTED_EVERY_MS) return;
  writeUse(db, session).catch(() => {});
}

async function writeUse(db: Db, { organizationId, id }: UsedSession): Promise<void> {
  const { sessionIdleMinutes } = await readSecurityPolicy(db, organizationId);
  const now = await databaseTime(db);
  const idleAt = sessionIdleMinutes === null ? null : new Date(now.getTime() + sessionIdleMinutes * 60_000);
  await db.$executeRaw`
    UPDATE session
       SET last_used_at = ${now}::timestamptz,
           expires_at = CASE WHEN ${idleAt}::timestamptz IS NULL THEN expires_at ELSE least(ends_at, ${idleAt}::timestamptz) END
     WHERE organization_id = ${organizationId}::int AND id = ${id}::uuid AND revoked_at IS NULL AND expires_at > ${now}::timestamptz
       AND last_used_at < ${before(now, NOTED_EVERY_MS)}::timestamptz`;
}

import type { Db } from '../../database/database.ts';
import { readSecurityPolicy } from './security-policy.ts';

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
  await db.$executeRaw`
    UPDATE session
       SET last_used_at = clock_timestamp(),
           expires_at = CASE WHEN ${sessionIdleMinutes}::int IS NULL THEN expires_at
                             ELSE least(ends_at, clock_timestamp() + make_interval(mins => ${sessionIdleMinutes}::int)) END
     WHERE organization_id = ${organizationId}::int AND id = ${id}::uuid AND revoked_at IS NULL AND expires_at > clock_timestamp()
       AND last_used_at < clock_timestamp() - interval '1 minute'`;
}

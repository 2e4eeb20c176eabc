import { before, databaseTime } from '../../../database/clock.ts';
import type { Db } from '../../../database/database.ts';
import type { SignedIn, SignInMethod } from '../sessions/sessions.ts';

/** Seconds for which a user has proved who they are: then something that matters asks for it again. */
export const STEP_UP_SECONDS = 900;

/**
 * Whether the user of a session has signed in, or proved again who they are, within so many seconds: by default a quarter of an hour.
 * A proof on the pages counts in the session of an app only where the app asked for it.
 */
export async function isProofFresh(
  db: Db,
  { organizationId, sessionId }: { organizationId: number; sessionId: string },
  seconds = STEP_UP_SECONDS,
): Promise<boolean> {
  const since = before(await databaseTime(db), seconds * 1_000);
  const [row] = await db.$queryRaw<{ fresh: boolean }[]>`
    SELECT own_proof AND verified_at > ${since}::timestamptz AS fresh
      FROM session WHERE organization_id = ${organizationId} AND id = ${sessionId}::uuid`;
  return row?.fresh ?? false;
}

/** Records that the user of a session has proved again who they are. */
export async function recordStepUp(
  db: Db,
  { organizationId, sessionId }: Pick<SignedIn, 'organizationId' | 'sessionId'>,
  methods: readonly SignInMethod[],
): Promise<void> {
  const now = await databaseTime(db);
  await db.$executeRaw`
    UPDATE session SET verified_at = ${now}::timestamptz,
           methods = ARRAY(SELECT DISTINCT m FROM unnest(methods || ${[...methods]}::text[]) AS m ORDER BY m)
     WHERE organization_id = ${organizationId}::int AND id = ${sessionId}::uuid AND revoked_at IS NULL`;
}

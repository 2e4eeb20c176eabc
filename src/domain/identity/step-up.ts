import type { Db } from '../../database/database.ts';

/** Seconds for which a user has proved who they are: then something that matters asks for it again. */
export const STEP_UP_SECONDS = 900;

/** Whether the user of a session has signed in, or proved again who they are, within a quarter of an hour. */
export async function isProofFresh(db: Db, { organizationId, sessionId }: { organizationId: number; sessionId: string }): Promise<boolean> {
  const [row] = await db.$queryRaw<{ fresh: boolean }[]>`
    SELECT verified_at > clock_timestamp() - make_interval(secs => ${STEP_UP_SECONDS}) AS fresh
      FROM session WHERE organization_id = ${organizationId} AND id = ${sessionId}::uuid`;
  return row?.fresh ?? false;
}

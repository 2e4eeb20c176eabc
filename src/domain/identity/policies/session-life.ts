import { databaseTime } from '../../../database/clock.ts';
import { addTime } from '../../../database/statements/later.sql.ts';
import { Prisma } from '../../../generated/prisma/client.ts';
import type { PracticeTx } from '../../tx.ts';

/** Lifetime of a refresh token; each new pair starts it again. */
export const REFRESH_TOKEN_MS = 30 * 86_400_000;
/** Lifetime of a session of pages at most: a working day. */
export const PAGE_SESSION_SECONDS = 12 * 3_600;

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

export type SessionKind = 'app' | 'page';

interface SessionPolicy {
  sessionLifeHours: number;
  sessionIdleMinutes: number | null;
}

/** The ends of a session that begins now: `endsAt` at the latest, `expiresAt` without further use. */
export function sessionLife(policy: SessionPolicy, kind: SessionKind, now: Date): { endsAt: Date; expiresAt: Date } {
  const life = policy.sessionLifeHours * HOUR_MS;
  const endsAt = new Date(now.getTime() + (kind === 'page' ? Math.min(life, PAGE_SESSION_SECONDS * 1_000) : life));
  return { endsAt, expiresAt: sessionExpiry(policy, endsAt, now) };
}

/** The end of a session that is used at this moment and then no more. */
export function sessionExpiry({ sessionIdleMinutes }: SessionPolicy, endsAt: Date, now: Date): Date {
  const idle = sessionIdleMinutes === null ? REFRESH_TOKEN_MS : sessionIdleMinutes * MINUTE_MS;
  return new Date(Math.min(endsAt.getTime(), now.getTime() + idle));
}

/** Applies a changed policy to the open sessions of a practice: none lasts longer than one that begins under it. */
export async function applySessionPolicy(tx: PracticeTx, { sessionLifeHours, sessionIdleMinutes }: SessionPolicy): Promise<void> {
  const now = await databaseTime(tx.prisma);
  const longest = addTime(Prisma.sql`created_at`, Prisma.sql`hours => ${sessionLifeHours}::int`);
  await tx.prisma.$executeRaw`
    UPDATE session
       SET ends_at = least(ends_at, ${longest}),
           expires_at = least(expires_at, ${longest}, ${addTime(Prisma.sql`last_used_at`, Prisma.sql`mins => ${sessionIdleMinutes}::int`)})
     WHERE organization_id = ${tx.organizationId}::int AND revoked_at IS NULL AND expires_at > ${now}::timestamptz`;
}

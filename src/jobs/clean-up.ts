import type { Database } from '../database.ts';

const DAY_MS = 86_400_000;

/** Takes away what has run out: kept answers, revoked tokens, counters of failed sign-ins, and sessions a day after their end. */
export async function removeExpired({ prisma }: Database): Promise<void> {
  const now = new Date();
  await prisma.idempotencyRecord.deleteMany({ where: { expiresAt: { lt: now } } });
  await prisma.revokedToken.deleteMany({ where: { expiresAt: { lt: now } } });
  await prisma.signInFailure.deleteMany({ where: { expire: { lt: now.getTime() } } });
  await prisma.session.deleteMany({ where: { expiresAt: { lt: new Date(now.getTime() - DAY_MS) } } });
}

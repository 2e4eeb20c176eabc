import type { Db } from '../../database/database.ts';
import { conflict } from '../errors.ts';

/** Lets one change at a time decide whether a practice keeps a way to sign in: of its provider, or of its policy. */
export async function lockProvider(db: Db, organizationId: number): Promise<void> {
  await db.$queryRaw`SELECT 1 FROM identity_provider WHERE organization_id = ${organizationId}::int FOR UPDATE`;
}

/**
 * For a practice that is about to switch sign-in with passwords off.
 * @throws Failure conflict unless its identity provider is in use, and somebody who is active has signed in with it
 */
export async function requireProvenProvider(db: Db, organizationId: number): Promise<void> {
  await lockProvider(db, organizationId);
  const provider = await db.identityProvider.findUnique({ where: { organizationId }, select: { enabled: true } });
  const used = { organizationId, lastUsedAt: { not: null }, user: { active: true } };
  if (provider?.enabled && (await db.externalIdentity.count({ where: used })) > 0) return;
  throw conflict(
    'single_sign_on_not_proven',
    'Set up single sign-on and sign in with it once before sign-in with passwords is switched off.',
    'passwordSignIn',
  );
}

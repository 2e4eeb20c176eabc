import { conflict, type Failure } from '../../errors.ts';
import type { PracticeTx, Tx } from '../../tx.ts';

/** Lets one change at a time decide whether a practice keeps a way to sign in: of its provider, or of its policy. */
export async function lockProvider(tx: PracticeTx): Promise<void> {
  await tx.prisma.$queryRaw`SELECT 1 FROM identity_provider WHERE organization_id = ${tx.organizationId}::int FOR UPDATE`;
}

/**
 * For a caller who is about to switch sign-in with passwords off in their practice. Another provider's people do not count: they are
 * linked anew.
 * @throws Failure conflict unless the identity provider is in use, and has let in the calling user; or, where no user calls, an
 *   active administrator
 */
export async function requireProvenProvider(tx: Tx): Promise<void> {
  const { userId } = tx;
  await lockProvider(tx);
  const provider = await tx.prisma.identityProvider.findUnique({ where: tx.practice, select: { enabled: true, issuer: true } });
  if (!provider?.enabled) throw notProven('The practice has no identity provider in use. Set up single sign-on first.');
  const who = userId === null ? ({ active: true, type: 'admin' } as const) : { id: userId };
  const used = { ...tx.practice, issuer: provider.issuer, lastUsedAt: { not: null }, user: who };
  if ((await tx.prisma.externalIdentity.count({ where: used })) > 0) return;
  throw notProven(
    userId === null
      ? 'No active administrator has signed in with the identity provider yet. One of them must do so once, so that they are not locked out.'
      : 'You have not signed in with the identity provider yet. Do so once, so that you do not lock yourself out.',
  );
}

const notProven = (sentence: string): Failure => conflict('single_sign_on_not_proven', sentence, 'passwordSignIn');

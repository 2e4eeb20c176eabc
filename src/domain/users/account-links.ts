import type { Db } from '../../database/database.ts';
import { type AccountHolder, toRole } from '../identity/accounts.ts';
import { findPasswordOwner, type PasswordOwner } from '../identity/passwords/password-rules.ts';
import { createSecretLink, type SecretLinkKey } from '../identity/secret-links.ts';
import { findLinkPractice, type LinkPractice } from '../practices/link-practice.ts';
import { inPractice, type PracticeTx, type Tx } from '../tx.ts';

/** Minutes for which a link works. */
const LIFE_MINUTES = { reset: 60, invitation: 7 * 24 * 60 } as const;

export type AccountLinkKind = keyof typeof LIFE_MINUTES;

/** A link that works, and the user who sets a password with it. */
export interface OpenAccountLink {
  id: number;
  user: AccountHolder & { firstName: string; lastName: string; email: string; languageId: string };
  owner: PasswordOwner;
  practice: LinkPractice;
}

/** Makes a link for a user; those of before stay as they are. @returns the secret part of its address, which is not stored */
export async function createAccountLink(tx: Tx, userId: number, kind: AccountLinkKind): Promise<string> {
  const { organizationId } = tx;
  const { token, hash } = createSecretLink(organizationId);
  const now = new Date();
  const expiresAt = new Date(now.getTime() + LIFE_MINUTES[kind] * 60_000);
  await tx.prisma.accountLink.create({ data: { organizationId, userId, kind, hash, createdAt: now, createdById: tx.userId, expiresAt } });
  return token;
}

/** Ends the links of a user; of one kind where it is given. */
export async function withdrawAccountLinks(tx: PracticeTx, userId: number, kind?: AccountLinkKind): Promise<void> {
  const now = new Date();
  await tx.prisma.accountLink.updateMany({
    where: { ...tx.practice, userId, usedAt: null, expiresAt: { gt: now }, ...(kind === undefined ? {} : { kind }) },
    data: { expiresAt: now },
  });
}

/** The link with a secret; null for one that is unknown, used, too old, or of an inactive user or a closed practice. */
export async function findAccountLink(
  db: Db,
  { organizationId, hash }: SecretLinkKey,
  kind: AccountLinkKind,
): Promise<OpenAccountLink | null> {
  const [link, practice] = await Promise.all([
    db.accountLink.findUnique({ where: { organizationId_hash: { organizationId, hash } }, include: { user: true } }),
    findLinkPractice(inPractice(db, organizationId)),
  ]);
  if (!link || !practice || link.kind !== kind || link.usedAt !== null || link.expiresAt <= new Date()) return null;
  const { active, type, firstName, lastName, languageId } = link.user;
  const role = toRole(type);
  if (!active || role === null) return null;
  const { userId } = link;
  const owner = await findPasswordOwner(db, { organizationId, userId });
  const user = { organizationId, userId, role, firstName, lastName, languageId, email: owner.email };
  return { id: link.id, user, owner, practice };
}

/** Milliseconds within which a link that was used answers a repeated form as it did the first one. */
const REPEATED_MS = LIFE_MINUTES.reset * 60_000;

/** The user who has just set a password with a link; null for a link that was not used, or longer ago. */
export async function findUserOfUsedLink(db: Db, { organizationId, hash }: SecretLinkKey, kind: AccountLinkKind): Promise<number | null> {
  const link = await db.accountLink.findUnique({ where: { organizationId_hash: { organizationId, hash } } });
  const isRecent = link?.usedAt != null && link.usedAt.getTime() > Date.now() - REPEATED_MS;
  return link?.kind === kind && isRecent ? link.userId : null;
}

/** Uses a link up. @returns false where somebody was faster */
export async function claimAccountLink(db: Db, { organizationId }: SecretLinkKey, id: number): Promise<boolean> {
  const now = new Date();
  const { count } = await db.accountLink.updateMany({
    where: { organizationId, id, usedAt: null, expiresAt: { gt: now } },
    data: { usedAt: now },
  });
  return count === 1;
}

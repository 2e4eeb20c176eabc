import { timingSafeEqual } from 'node:crypto';
import type { Db } from '../../../database/database.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import { inPractice } from '../../tx.ts';
import { readSecurityPolicy } from '../policies/security-policy.ts';
import { hashSecret, hashToken, newSecret, verifySecret } from '../secrets.ts';

/** Days after which a secret without an end counts as old. */
const OLD_SECRET_DAYS = 365;
/** The longest time for which the secret before is valid beside a new one: a month. */
export const LONGEST_OVERLAP_HOURS = 31 * 24;
/** Secrets that have ended are kept so long, so that a client that still uses one is told. */
const ENDED_SECRET_KEPT_DAYS = 90;
const DAY_MS = 86_400_000;
const PREFIX_BYTES = 4;

/** A secret of a client, without its hash. */
export interface ClientSecret {
  id: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

/** Days for which a new secret is valid: the fewest that a practice of the client has set. Null: none has, and the secret has no end. */
export async function clientSecretDays(db: Db, organizationIds: readonly number[]): Promise<number | null> {
  const days = await Promise.all(organizationIds.map(async (id) => (await readSecurityPolicy(inPractice(db, id))).clientSecretDays));
  const set = days.filter((limit) => limit !== null);
  return set.length === 0 ? null : Math.min(...set);
}

/** Makes a secret for a client, beside those that it has. @returns it in plain text, which is stored nowhere */
export async function addClientSecret(db: Db, clientId: string, days: number | null): Promise<string> {
  const secret = newSecret();
  const expiresAt = days === null ? null : new Date(Date.now() + days * DAY_MS);
  await db.apiClientSecret.create({ data: { clientId, hash: await hashSecret(secret), prefix: hashPrefix(secret), expiresAt } });
  return secret;
}

export interface Rotation {
  /** Hours for which the current secret stays valid beside the new one; 0 ends it at once. */
  overlapHours?: number | undefined;
  /** Days for which the new secret is valid, where that is less than the practices' rule. */
  days?: number | undefined;
}

/**
 * Gives a client a new secret, returned once. The one before ends at once, or after the overlap; one that was rotated earlier ends
 * at once either way, so that two are valid at most.
 * @throws Failure not_found; conflict for an app, or a client that signs in with its keys; invalid for an overlap of more than 31 days
 */
export async function rotateClientSecret(db: Db, clientId: string, { overlapHours = 0, days }: Rotation = {}): Promise<string> {
  await db.$queryRaw`SELECT id FROM api_client WHERE id = ${clientId} FOR NO KEY UPDATE`;
  const client = await db.apiClient.findUnique({
    where: { id: clientId },
    include: { grants: { select: { organizationId: true } }, secrets: { orderBy: { createdAt: 'desc' } } },
  });
  if (!client) throw notFound('client');
  if (client.kind === 'app') throw conflict('app_has_no_secret', 'An app cannot have a secret, since its users could read it.');
  if (client.jwks !== null || client.jwksUri !== null)
    throw conflict('client_has_keys', 'The client signs in with its keys. Change its keys instead.');
  if (!(overlapHours >= 0 && overlapHours <= LONGEST_OVERLAP_HOURS))
    throw invalid('overlapHours', `must be from 0 to ${LONGEST_OVERLAP_HOURS} hours`, 'out_of_range');
  await endSecrets(db, clientId, overlapHours);
  const allowed = await clientSecretDays(
    db,
    client.grants.map(({ organizationId }) => organizationId),
  );
  const limits = [allowed, days].filter((limit) => limit !== null && limit !== undefined);
  return addClientSecret(db, clientId, limits.length === 0 ? null : Math.min(...limits));
}

/** Ends the newest secret of a client after so many hours, and all others at once. */
export async function endSecrets(db: Db, clientId: string, overlapHours: number): Promise<void> {
  const now = new Date();
  const [newest] = await db.apiClientSecret.findMany({ where: { clientId }, orderBy: { createdAt: 'desc' }, take: 1 });
  const kept = overlapHours > 0 && newest ? newest : null;
  await db.apiClientSecret.deleteMany({ where: { clientId, ...(kept && { id: { not: kept.id } }) } });
  if (!kept) return;
  const end = new Date(now.getTime() + overlapHours * 3_600_000);
  if (kept.expiresAt !== null && kept.expiresAt <= end) return;
  await db.apiClientSecret.update({ where: { clientId_id: { clientId, id: kept.id } }, data: { expiresAt: end } });
}

/** The outcome of checking a secret; "expired" is told only to one who has it. */
export type SecretCheck = { kind: 'right'; id: string } | { kind: 'expired' } | { kind: 'wrong' };

/**
 * Checks a secret of a client, or of none. Computes one hash in every case, so that the time tells neither whether the client
 * exists nor how many secrets it has.
 */
export async function checkClientSecret(db: Db, clientId: string | null, secret: string): Promise<SecretCheck> {
  const stored = clientId === null ? [] : await db.apiClientSecret.findMany({ where: { clientId }, orderBy: { createdAt: 'desc' } });
  const prefix = hashPrefix(secret);
  const found = stored.find((one) => one.prefix && timingSafeEqual(one.prefix, prefix)) ?? stored.find((one) => one.prefix === null);
  const right = await verifySecret(found?.hash ?? null, secret);
  if (!right || !found) return { kind: 'wrong' };
  return found.expiresAt !== null && found.expiresAt <= new Date() ? { kind: 'expired' } : { kind: 'right', id: found.id };
}

/** A secret has 192 random bits: these 32 of its hash say nothing about the others. */
const hashPrefix = (secret: string): Uint8Array<ArrayBuffer> => hashToken(secret).slice(0, PREFIX_BYTES);

/** Writes down when a client and its secret were last used, at most once a minute. */
export async function recordClientUse(db: Db, clientId: string, secretId: string | null): Promise<void> {
  await db.$executeRaw`
    UPDATE api_client SET last_used_at = clock_timestamp()
     WHERE id = ${clientId} AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - interval '1 minute')`;
  if (secretId === null) return;
  await db.$executeRaw`
    UPDATE api_client_secret SET last_used_at = clock_timestamp()
     WHERE client_id = ${clientId} AND id = ${secretId}::uuid
       AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - interval '1 minute')`;
}

/**
 * Whether a secret should be changed: it is older than its practices allow, or than a year where they allow any age.
 * @param days what clientSecretDays answers for the client
 */
export const isOldSecret = ({ createdAt }: Pick<ClientSecret, 'createdAt'>, days: number | null, now = new Date()): boolean =>
  ageInDays(createdAt, now) >= (days ?? OLD_SECRET_DAYS);

export const ageInDays = (since: Date, now = new Date()): number => Math.floor((now.getTime() - since.getTime()) / DAY_MS);

/** Deletes secrets that ended long ago. @returns how many */
export async function removeEndedSecrets(db: Db): Promise<number> {
  const { count } = await db.apiClientSecret.deleteMany({
    where: { expiresAt: { lt: new Date(Date.now() - ENDED_SECRET_KEPT_DAYS * DAY_MS) } },
  });
  return count;
}

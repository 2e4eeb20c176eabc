import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { Db } from '../../database/database.ts';
import { type Keyring, KeyringError } from '../../database/keyring.ts';

/** What the private keys are encrypted for (see keyring.ts). */
export const SIGNING_KEY_PURPOSE = 'signing-key';

/** A key that verifies access tokens (Ed25519), and signs new ones until it is retired. */
export interface SigningKey {
  id: string;
  publicPem: string;
  retired: boolean;
  /** Null when it does not sign: retired, or sealed with a master key that is gone. It verifies all the same. */
  privatePem: string | null;
}

/** A public key as RFC 8037 writes it. */
export interface PublicJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  kid: string;
  alg: 'EdDSA';
  use: 'sig';
}

/** A retired key verifies for as long as the longest access token lives, and a little more for slow clocks. */
const VERIFIES_AFTER_RETIREMENT_MS = 65 * 60_000;

/**
 * Makes the next signing key; the ones before it sign no more, and verify until their last token has ended. To be run in
 * a transaction: two that rotate at once then take turns, so that one key is left to sign.
 * @returns its id
 * @throws KeyringError when the standing key was sealed with master keys other than these: the servers could not open the next
 */
export async function rotateSigningKey(db: Db, keyring: Keyring): Promise<string> {
  await takeTurns(db);
  const standing = await db.signingKey.findMany({ where: { retiredAt: null } });
  for (const { privatePem } of standing) keyring.decrypt(SIGNING_KEY_PURPOSE, privatePem);
  const id = await makeSigningKey(db, keyring);
  await db.signingKey.updateMany({ where: { retiredAt: null, id: { not: id } }, data: { retiredAt: new Date() } });
  return id;
}

/**
 * Makes a signing key where none signs, as on an empty database. To be run in a transaction: of several processes that
 * start at once, one makes it.
 */
export async function ensureSigningKey(db: Db, keyring: Keyring): Promise<void> {
  await takeTurns(db);
  if ((await db.signingKey.count({ where: { retiredAt: null } })) === 0) await makeSigningKey(db, keyring);
}

/** The keys whose tokens are good now, the signing one first. */
export async function liveSigningKeys(db: Db, keyring: Keyring): Promise<SigningKey[]> {
  const since = new Date(Date.now() - VERIFIES_AFTER_RETIREMENT_MS);
  const rows = await db.signingKey.findMany({
    where: { OR: [{ retiredAt: null }, { retiredAt: { gt: since } }] },
    orderBy: [{ retiredAt: { sort: 'desc', nulls: 'first' } }, { createdAt: 'desc' }],
  });
  return rows.map(({ id, publicPem, privatePem, retiredAt }) => {
    const retired = retiredAt !== null;
    return { id, publicPem, retired, privatePem: retired ? null : unsealed(keyring, privatePem) };
  });
}

export function toJwk({ id, publicPem }: SigningKey): PublicJwk {
  const { x = '' } = createPublicKey(publicPem).export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', x, kid: id, alg: 'EdDSA', use: 'sig' };
}

function unsealed(keyring: Keyring, privatePem: string): string | null {
  try {
    return keyring.decrypt(SIGNING_KEY_PURPOSE, privatePem);
  } catch (error) {
    if (error instanceof KeyringError) return null;
    throw error;
  }
}

/** Until the transaction ends, whoever else changes keys waits. */
async function takeTurns(db: Db): Promise<void> {
  await db.$executeRaw`SELECT pg_advisory_xact_lock(7410257)`;
}

async function makeSigningKey(db: Db, keyring: Keyring): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const id = randomUUID();
  await db.signingKey.create({ data: { id, publicPem: publicKey, privatePem: keyring.encrypt(SIGNING_KEY_PURPOSE, privateKey) } });
  return id;
}

import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { Db } from '../../database/database.ts';
import { decryptIn, ENCRYPTED, encryptIn } from '../../database/encryption/encrypted-columns.ts';
import { type Keyring, KeyringError } from '../../database/encryption/keyring.ts';

/** A key that verifies access tokens (Ed25519), and signs new ones until it is retired. */
export interface SigningKey {
  id: string;
  publicPem: string;
  retired: boolean;
  /** Null when it cannot sign: retired, or for its flaw. It still verifies. */
  privatePem: string | null;
  /** The error of opening its private half; null where it opens, or is not needed. */
  flaw: KeyringError | null;
}

/** A public key in the format of RFC 8037. */
export interface PublicJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  kid: string;
  alg: 'EdDSA';
  use: 'sig';
}

/** A retired key verifies for the longest lifetime of an access token, and five minutes more for slow clocks. */
const VERIFIES_AFTER_RETIREMENT_MS = 65 * 60_000;

/**
 * Creates the next signing key; earlier keys stop signing, and verify until their last token has expired. Must run in a
 * transaction: concurrent rotations are serialized, so that one key is left to sign.
 * @param lost ids of master keys that nobody has any more: a key under one of them is replaced all the same
 * @returns its id
 * @throws KeyringError when the current key was encrypted with other master keys: the servers could not read the next one
 */
export async function rotateSigningKey(db: Db, keyring: Keyring, lost: readonly string[] = []): Promise<string> {
  await lockSigningKeys(db);
  const current = await db.signingKey.findMany({ where: { retiredAt: null } });
  for (const key of current) if (!lost.includes(readMasterKeyId(key))) openKey(keyring, key);
  const id = await createSigningKey(db, keyring);
  await db.signingKey.updateMany({ where: { retiredAt: null, id: { not: id } }, data: { retiredAt: new Date() } });
  return id;
}

/**
 * Creates a signing key if none signs, as on an empty database. Must run in a transaction: of several processes that start
 * together, one creates it.
 */
export async function ensureSigningKey(db: Db, keyring: Keyring): Promise<void> {
  await lockSigningKeys(db);
  if ((await db.signingKey.count({ where: { retiredAt: null } })) === 0) await createSigningKey(db, keyring);
}

/** The keys whose tokens are valid now, the signing one first. */
export async function liveSigningKeys(db: Db, keyring: Keyring): Promise<SigningKey[]> {
  const since = new Date(Date.now() - VERIFIES_AFTER_RETIREMENT_MS);
  const rows = await db.signingKey.findMany({
    where: { OR: [{ retiredAt: null }, { retiredAt: { gt: since } }] },
    orderBy: [{ retiredAt: { sort: 'desc', nulls: 'first' } }, { createdAt: 'desc' }],
  });
  return rows.map((row) => {
    const retired = row.retiredAt !== null;
    const half = retired ? { privatePem: null, flaw: null } : openPrivateHalf(keyring, row);
    return { id: row.id, publicPem: row.publicPem, retired, ...half };
  });
}

export function toJwk({ id, publicPem }: SigningKey): PublicJwk {
  const { x = '' } = createPublicKey(publicPem).export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', x, kid: id, alg: 'EdDSA', use: 'sig' };
}

export const readMasterKeyId = ({ privatePem }: { privatePem: string }): string => privatePem.split('.', 1)[0] ?? '';

/** @throws KeyringError */
const openKey = (keyring: Keyring, { id, privatePem }: { id: string; privatePem: string }): string =>
  decryptIn(keyring, ENCRYPTED.signingKey, { organizationId: null, row: id }, privatePem);

function openPrivateHalf(keyring: Keyring, key: { id: string; privatePem: string }): Pick<SigningKey, 'privatePem' | 'flaw'> {
  try {
    return { privatePem: openKey(keyring, key), flaw: null };
  } catch (error) {
    if (error instanceof KeyringError) return { privatePem: null, flaw: error };
    throw error;
  }
}

/** Makes other changes of keys wait until the transaction ends. */
async function lockSigningKeys(db: Db): Promise<void> {
  await db.$executeRaw`SELECT pg_advisory_xact_lock(7410257)`;
}

async function createSigningKey(db: Db, keyring: Keyring): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const id = randomUUID();
  const privatePem = encryptIn(keyring, ENCRYPTED.signingKey, { organizationId: null, row: id }, privateKey);
  await db.signingKey.create({ data: { id, publicPem: publicKey, privatePem } });
  return id;
}

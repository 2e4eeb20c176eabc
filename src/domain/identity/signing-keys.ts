import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { Db } from '../../database.ts';
import type { Keyring } from '../../keyring.ts';

const PURPOSE = 'signing-key';

/** A key with which access tokens are signed (Ed25519). */
export interface SigningKey {
  id: string;
  publicPem: string;
  privatePem: string;
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

/** Makes the next signing key; the ones before it sign no more, and verify until their last token has ended. */
export async function rotateSigningKey(db: Db, keyring: Keyring): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const id = randomUUID();
  await db.signingKey.updateMany({ where: { retiredAt: null }, data: { retiredAt: new Date() } });
  await db.signingKey.create({ data: { id, publicPem: publicKey, privatePem: keyring.encrypt(PURPOSE, privateKey) } });
  return id;
}

/** The keys whose tokens are good now, the signing one first. */
export async function liveSigningKeys(db: Db, keyring: Keyring): Promise<SigningKey[]> {
  const since = new Date(Date.now() - VERIFIES_AFTER_RETIREMENT_MS);
  const rows = await db.signingKey.findMany({
    where: { OR: [{ retiredAt: null }, { retiredAt: { gt: since } }] },
    orderBy: [{ retiredAt: { sort: 'desc', nulls: 'first' } }, { createdAt: 'desc' }],
  });
  return rows.map(({ id, publicPem, privatePem }) => ({ id, publicPem, privatePem: keyring.decrypt(PURPOSE, privatePem) }));
}

export function toJwk({ id, publicPem }: SigningKey): PublicJwk {
  const { x = '' } = createPublicKey(publicPem).export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', x, kid: id, alg: 'EdDSA', use: 'sig' };
}

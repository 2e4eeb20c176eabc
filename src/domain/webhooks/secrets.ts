import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { Db } from '../../database/database.ts';
import { decryptIn, ENCRYPTED, encryptIn } from '../../database/encryption/encrypted-columns.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import type { EndpointRow } from './fan-out.sql.ts';
import type { SigningSecret } from './signatures.ts';

/** Hours for which the former secret signs as well. */
const FORMER_SECRET_HOURS = 24;

export interface ReceiverKeys {
  /** `whsec_` and 32 bytes in base64. */
  secret: string;
  /** `whpk_` and the 32 bytes of an Ed25519 key in base64; null where such signatures were not asked for. */
  publicKey: string | null;
}

/**
 * Makes an endpoint's present secret. The one before, if there is one, signs as well for a day; those that did so until now sign no
 * more.
 * @param asymmetric whether messages are signed with Ed25519 as well
 */
export async function addSecret(
  db: Db,
  keyring: Keyring,
  { organizationId, endpointId }: EndpointRow,
  { asymmetric }: { asymmetric: boolean },
): Promise<ReceiverKeys> {
  await db.webhookSecret.deleteMany({ where: { organizationId, webhookEndpointId: endpointId, expiresAt: { not: null } } });
  await db.webhookSecret.updateMany({
    where: { organizationId, webhookEndpointId: endpointId },
    data: { expiresAt: new Date(Date.now() + FORMER_SECRET_HOURS * 3_600_000) },
  });
  const { id } = await db.webhookSecret.create({
    data: { organizationId, webhookEndpointId: endpointId, secret: '' },
    select: { id: true },
  });
  const hmacKey = randomBytes(32).toString('base64');
  const pair = asymmetric ? generateKeyPairSync('ed25519') : null;
  const row = { organizationId, row: id };
  await db.webhookSecret.update({
    where: { organizationId_id: { organizationId, id } },
    data: {
      secret: encryptIn(keyring, ENCRYPTED.webhookSecret, row, hmacKey),
      signingKey: pair && encryptIn(keyring, ENCRYPTED.webhookSigningKey, row, writeKey(pair.privateKey)),
    },
  });
  return { secret: `whsec_${hmacKey}`, publicKey: pair && writePublicKey(pair.publicKey) };
}

/** Gives the present secret a key for Ed25519 signatures, or takes it away. A key that is there already stays. */
export async function setAsymmetric(
  db: Db,
  keyring: Keyring,
  { organizationId, endpointId }: EndpointRow,
  asymmetric: boolean,
): Promise<void> {
  const present = await db.webhookSecret.findFirstOrThrow({
    where: { organizationId, webhookEndpointId: endpointId, expiresAt: null },
    select: { id: true, signingKey: true },
  });
  if ((present.signingKey !== null) === asymmetric) return;
  const { id } = present;
  const key = asymmetric ? writeKey(generateKeyPairSync('ed25519').privateKey) : null;
  await db.webhookSecret.update({
    where: { organizationId_id: { organizationId, id } },
    data: { signingKey: key && encryptIn(keyring, ENCRYPTED.webhookSigningKey, { organizationId, row: id }, key) },
  });
}

interface StoredSecret {
  id: number;
  secret: string;
  signingKey: string | null;
}

/** The secrets that sign now: the present one first, then the one before for as long as it does. */
export async function signingSecrets(db: Db, keyring: Keyring, { organizationId, endpointId }: EndpointRow): Promise<SigningSecret[]> {
  const stored = await db.webhookSecret.findMany({
    where: { organizationId, webhookEndpointId: endpointId, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
    select: { id: true, secret: true, signingKey: true },
    orderBy: { id: 'desc' },
  });
  return stored.map((one) => ({
    hmacKey: Buffer.from(decryptIn(keyring, ENCRYPTED.webhookSecret, { organizationId, row: one.id }, one.secret), 'base64'),
    signingKey: readKey(keyring, organizationId, one),
  }));
}

/** The public keys of endpoints by endpoint; those without are absent. */
export async function publicKeys(
  db: Db,
  keyring: Keyring,
  { organizationId, endpointIds }: { organizationId: number; endpointIds: readonly number[] },
): Promise<Map<number, string>> {
  const stored = await db.webhookSecret.findMany({
    where: { organizationId, webhookEndpointId: { in: [...endpointIds] }, expiresAt: null, signingKey: { not: null } },
    select: { id: true, secret: true, signingKey: true, webhookEndpointId: true },
  });
  return new Map(
    stored.flatMap((one) => {
      const key = readKey(keyring, organizationId, one);
      return key ? [[one.webhookEndpointId, writePublicKey(createPublicKey(key))] as const] : [];
    }),
  );
}

function readKey(keyring: Keyring, organizationId: number, { id, signingKey }: StoredSecret): KeyObject | null {
  if (signingKey === null) return null;
  const der = decryptIn(keyring, ENCRYPTED.webhookSigningKey, { organizationId, row: id }, signingKey);
  return createPrivateKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'pkcs8' });
}

const writeKey = (key: KeyObject): string => key.export({ format: 'der', type: 'pkcs8' }).toString('base64');

/** The 32 bytes of the key are the end of its DER form (RFC 8410). */
const writePublicKey = (key: KeyObject): string => `whpk_${key.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')}`;

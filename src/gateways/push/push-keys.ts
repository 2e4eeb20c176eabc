import type { Db } from '../../database/database.ts';
import { decryptIn, ENCRYPTED, encryptIn } from '../../database/encryption/encrypted-columns.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';

/** The one row of the table. */
const ROW = { organizationId: null, row: 1 };

/** VAPID key pair that identifies this server to push services (RFC 8292), in base64url. */
export interface PushKeys {
  publicKey: string;
  privateKey: string;
}

/** The stored key pair, created on first use. Devices subscribe to it, so it never changes. */
export async function findOrCreatePushKeys(db: Db, keyring: Keyring): Promise<PushKeys> {
  const stored = await db.pushKey.findUnique({ where: { id: 1 } });
  if (stored) return decryptKeys(stored, keyring);
  const { default: webPush } = await import('web-push');
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  // Of several processes that create a pair, one stores it.
  const encrypted = encryptIn(keyring, ENCRYPTED.pushKey, ROW, privateKey);
  await db.pushKey.createMany({ data: [{ publicKey, privateKey: encrypted }], skipDuplicates: true });
  return decryptKeys(await db.pushKey.findUniqueOrThrow({ where: { id: 1 } }), keyring);
}

const decryptKeys = ({ publicKey, privateKey }: PushKeys, keyring: Keyring): PushKeys => ({
  publicKey,
  privateKey: decryptIn(keyring, ENCRYPTED.pushKey, ROW, privateKey),
});

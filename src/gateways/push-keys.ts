import webPush from 'web-push';
import type { Db } from '../database/database.ts';
import type { Keyring } from '../database/keyring.ts';

/** What the private key is encrypted for (see keyring.ts). */
export const PUSH_KEY_PURPOSE = 'push-key';

/** The pair by which push services know this server (RFC 8292), in base64url. */
export interface PushKeys {
  publicKey: string;
  privateKey: string;
}

/** The pair that this server keeps, made at the first need. Devices subscribe to it, so it never changes. */
export async function findOrCreatePushKeys(db: Db, keyring: Keyring): Promise<PushKeys> {
  const standing = await db.pushKey.findUnique({ where: { id: 1 } });
  if (standing) return decryptKeys(standing, keyring);
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  // Of several processes that make one, one stores it.
  await db.pushKey.createMany({ data: [{ publicKey, privateKey: keyring.encrypt(PUSH_KEY_PURPOSE, privateKey) }], skipDuplicates: true });
  return decryptKeys(await db.pushKey.findUniqueOrThrow({ where: { id: 1 } }), keyring);
}

const decryptKeys = ({ publicKey, privateKey }: PushKeys, keyring: Keyring): PushKeys => ({
  publicKey,
  privateKey: keyring.decrypt(PUSH_KEY_PURPOSE, privateKey),
});

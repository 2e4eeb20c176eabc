import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/keyring.ts';
import { PUSH_KEY_PURPOSE } from '../../gateways/push-keys.ts';
import type { Caller } from '../caller.ts';
import { type Renewal, recordRenewal, tryDecrypt } from '../security/key-renewal.ts';

/** As renewSigningKeys, for the one key that identifies this server to push services. */
export async function renewPushKey(db: Db, keyring: Keyring, callers: readonly Caller[]): Promise<Renewal> {
  const result: Renewal = { renewed: 0, changed: 0, unreadable: 0 };
  const stored = await db.pushKey.findUnique({ where: { id: 1 } });
  if (!stored || stored.privateKey.startsWith(`${keyring.currentId}.`)) return result;
  const value = tryDecrypt(keyring, PUSH_KEY_PURPOSE, stored.privateKey);
  if (value === null) return { ...result, unreadable: 1 };
  const data = { privateKey: keyring.encrypt(PUSH_KEY_PURPOSE, value) };
  const { count } = await db.pushKey.updateMany({ where: { id: 1, privateKey: stored.privateKey }, data });
  if (count > 0) for (const caller of callers) recordRenewal(caller, 'push_key.private_key', count, keyring);
  return { ...result, renewed: count, changed: 1 - count };
}

import type { Config } from '../../config/config.ts';
import type { Database, Db } from '../../database/database.ts';
import { decryptIn, ENCRYPTED, encryptIn } from '../../database/encryption/encrypted-columns.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import type { GuardedRequests } from '../requests/guarded-requests.ts';
import { type OutgoingPush, type Push, PushGone } from './push.ts';

const ROW = { organizationId: null, row: 1 };

/** VAPID key pair that identifies this server to push services (RFC 8292), in base64url. */
interface PushKeys {
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

/** Seconds for which a push service keeps a message for a device that is offline. */
const TTL_SECONDS = 24 * 3_600;

type Options = Pick<Config, 'VAPID_KEYS' | 'MAIL_FROM' | 'PUBLIC_URL'>;

/** Web push (RFC 8030, 8291, 8292), which needs no account. */
export function createWebPush(
  config: Options,
  { prisma }: Pick<Database, 'prisma'>,
  { keyring, guarded }: { keyring: Keyring; guarded: GuardedRequests },
): Push {
  let known: Promise<PushKeys> | undefined;
  function keys(): Promise<PushKeys> {
    known ??= configuredKeys(config.VAPID_KEYS) ?? findOrCreatePushKeys(prisma, keyring);
    known.catch(() => {
      known = undefined;
    });
    return known;
  }
  return {
    publicKey: async () => (await keys()).publicKey,
    accepts: guarded.accepts,
    async send({ to, topic, payload }: OutgoingPush) {
      const { default: webPush } = await import('web-push');
      const { headers, body } = webPush.generateRequestDetails(to, payload, {
        vapidDetails: { subject: chooseContact(config), ...(await keys()) },
        contentEncoding: 'aes128gcm',
        TTL: TTL_SECONDS,
        topic,
      });
      const { status } = await guarded.fetch(to.endpoint, { method: 'POST', headers, body: body ?? null });
      if (status === 404 || status === 410) throw new PushGone('The device is no longer subscribed.');
      if (status < 200 || status > 299) throw new Error(`The push service responded ${status}.`);
    },
  };
}

function configuredKeys(written: string | undefined): Promise<PushKeys> | undefined {
  const [publicKey, privateKey] = written?.split(':') ?? [];
  return publicKey && privateKey ? Promise.resolve({ publicKey, privateKey }) : undefined;
}

/** Contact for push services, which RFC 8292 asks for. */
function chooseContact({ MAIL_FROM: mail, PUBLIC_URL: url }: Options): string {
  if (mail !== undefined) return `mailto:${mail}`;
  return url?.startsWith('https://') ? url : 'mailto:operator@example.org';
}

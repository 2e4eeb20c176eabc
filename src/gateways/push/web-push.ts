import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import type { GuardedRequests } from '../requests/guarded-requests.ts';
import { type OutgoingPush, type Push, PushGone } from './push.ts';
import { findOrCreatePushKeys, type PushKeys } from './push-keys.ts';

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
        vapidDetails: { subject: contactOf(config), ...(await keys()) },
        contentEncoding: 'aes128gcm',
        TTL: TTL_SECONDS,
        topic,
      });
      const { status } = await guarded.fetch(to.endpoint, { method: 'POST', headers, body: body ?? null });
      if (status === 404 || status === 410) throw new PushGone('The device is not subscribed any more.');
      if (status < 200 || status > 299) throw new Error(`The push service answers ${status}.`);
    },
  };
}

function configuredKeys(written: string | undefined): Promise<PushKeys> | undefined {
  const [publicKey, privateKey] = written?.split(':') ?? [];
  return publicKey && privateKey ? Promise.resolve({ publicKey, privateKey }) : undefined;
}

/** Contact for push services, which RFC 8292 asks for. */
function contactOf({ MAIL_FROM: mail, PUBLIC_URL: url }: Options): string {
  if (mail !== undefined) return `mailto:${mail}`;
  return url?.startsWith('https://') ? url : 'mailto:operator@example.org';
}

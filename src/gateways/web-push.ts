import http from 'node:http';
import https from 'node:https';
import webPush from 'web-push';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { Keyring } from '../database/keyring.ts';
import { isPrivateHost, publicLookup } from './private-addresses.ts';
import { type OutgoingPush, type Push, PushGone } from './push.ts';
import { findOrCreatePushKeys, type PushKeys } from './push-keys.ts';

/** Seconds for which a push service keeps a message for a device that is offline. */
const TTL_SECONDS = 24 * 3_600;
const TIMEOUT_MS = 10_000;

type Options = Pick<Config, 'VAPID_KEYS' | 'MAIL_FROM' | 'PUBLIC_URL' | 'PUSH_ALLOW_PRIVATE'>;

/** Web push (RFC 8030, 8291, 8292), which needs no account. */
export function createWebPush(config: Options, { prisma }: Pick<Database, 'prisma'>, keyring: Keyring): Push {
  const allowPrivate = config.PUSH_ALLOW_PRIVATE;
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
    accepts: (endpoint) => isAcceptable(endpoint, allowPrivate),
    async send({ to, topic, payload }: OutgoingPush) {
      if (!isAcceptable(to.endpoint, allowPrivate)) throw new Error('The endpoint is not one that may be sent to.');
      const { headers, body } = webPush.generateRequestDetails(to, payload, {
        vapidDetails: { subject: contactOf(config), ...(await keys()) },
        contentEncoding: 'aes128gcm',
        TTL: TTL_SECONDS,
        topic,
      });
      const status = await post(new URL(to.endpoint), { headers, body: body ?? Buffer.alloc(0), allowPrivate });
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

function isAcceptable(endpoint: string, allowPrivate: boolean): boolean {
  const url = URL.parse(endpoint);
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (allowPrivate) return url.protocol === 'https:' || url.protocol === 'http:';
  return url.protocol === 'https:' && !isPrivateHost(url);
}

interface PushRequest {
  headers: http.OutgoingHttpHeaders;
  body: Buffer;
  allowPrivate: boolean;
}

/**
 * Sends the request. web-push itself cannot use a custom DNS lookup; redirects are not followed.
 * @returns the HTTP status
 */
function post(url: URL, { headers, body, allowPrivate }: PushRequest): Promise<number> {
  const { request } = url.protocol === 'http:' ? http : https;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const options = { method: 'POST', headers, signal, agent: false, ...(allowPrivate ? {} : { lookup: publicLookup }) };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, (response) => {
      // Only the status of the response is used.
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    outgoing.on('error', reject).end(body);
  });
}

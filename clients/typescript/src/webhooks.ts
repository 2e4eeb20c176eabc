import type { TriptychEvent } from './events.ts';

export interface ReceivedWebhook {
  /** Of the request: `Headers`, or the headers of Node. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As it came, not parsed and written again. */
  body: string | Uint8Array;
  /** The endpoint's secret (`whsec_…`) or public key (`whpk_…`); several while it is rotated. */
  secret: string | readonly string[];
  /** Seconds that may have passed since it was signed; 300 by default. */
  tolerance?: number;
}

/** A request that is not a delivery of the endpoint: answer 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** The event of a delivery, and its number for the endpoint. */
export interface Delivery {
  event: TriptychEvent;
  /** 1, 2, 3 for each endpoint: one that is missing can be asked for. Null for a test from the command line. */
  sequence: number | null;
}

/** Checks a delivery (Standard Webhooks 1.0: `v1`, HMAC-SHA256, and `v1a`, Ed25519). @throws WebhookError */
export async function verifyWebhook({ headers, body, secret, tolerance = 300 }: ReceivedWebhook): Promise<Delivery> {
  const header = (name: string) => String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '');
  const timestamp = header('webhook-timestamp');
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (timestamp === '' || !(age <= tolerance)) throw new WebhookError('webhook-timestamp is missing, or too far from now');
  const content = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${header('webhook-id')}.${timestamp}.`), content);
  const signatures = header('webhook-signature').split(' ');
  if (!(await isSignedByOne([secret].flat(), signatures, signed)))
    throw new WebhookError('webhook-signature has no signature of this secret');
  return { event: JSON.parse(new TextDecoder().decode(content)), sequence: Number(header('webhook-sequence')) || null };
}

async function isSignedByOne(secrets: readonly string[], signatures: readonly string[], signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  for (const secret of secrets) {
    const isPublic = secret.startsWith('whpk_');
    const algorithm = isPublic ? { name: 'Ed25519' } : { name: 'HMAC', hash: 'SHA-256' };
    const bytes = decodeBytes(secret.replace(/^wh(sec|pk)_/, ''));
    if (!bytes) throw new TypeError('secret must be whsec_… or whpk_… as the endpoint shows it');
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
    for (const signature of signatures) {
      const [version, encoded = ''] = signature.split(',');
      const given = version === (isPublic ? 'v1a' : 'v1') ? decodeBytes(encoded) : null;
      if (given && (await crypto.subtle.verify(algorithm, key, given, signed))) return true;
    }
  }
  return false;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** Of base64; null for another text. */
function decodeBytes(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

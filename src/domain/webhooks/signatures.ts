import { createHmac, type KeyObject, sign } from 'node:crypto';
import { VERSION } from '../../config/version.ts';

/** The keys of one of an endpoint's secrets. */
export interface SigningSecret {
  /** 32 bytes, of `whsec_…` */
  hmacKey: Buffer;
  /** Ed25519; null where the endpoint did not ask for such signatures. */
  signingKey: KeyObject | null;
}

export interface SignedMessage {
  /** Of the event. */
  id: string;
  /** Seconds since 1970, of this attempt. */
  timestamp: number;
  body: string;
}

/**
 * The header `webhook-signature` (Standard Webhooks 1.0): for each secret an HMAC-SHA256, and an Ed25519 signature where there is a
 * key for it, over id, timestamp and body.
 */
function writeSignatures(secrets: readonly SigningSecret[], { id, timestamp, body }: SignedMessage): string {
  const signed = Buffer.from(`${id}.${timestamp}.${body}`);
  const symmetric = secrets.map(({ hmacKey }) => `v1,${createHmac('sha256', hmacKey).update(signed).digest('base64')}`);
  const asymmetric = secrets.flatMap(({ signingKey }) => (signingKey ? [`v1a,${sign(null, signed, signingKey).toString('base64')}`] : []));
  return [...symmetric, ...asymmetric].join(' ');
}

/** All headers of a delivery but those of every request. @param sequence number of the delivery for its endpoint */
export const webhookHeaders = (secrets: readonly SigningSecret[], message: SignedMessage, sequence: number) => ({
  'content-type': 'application/json',
  'user-agent': `Triptych-Webhooks/${VERSION}`,
  'webhook-id': message.id,
  'webhook-timestamp': String(message.timestamp),
  'webhook-signature': writeSignatures(secrets, message),
  'webhook-sequence': String(sequence),
});

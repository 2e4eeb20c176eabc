import { ECDH } from 'node:crypto';
import { z } from 'zod';
import type { Subscription } from '../../../domain/notifications/push-subscriptions.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { instant, longId, text } from '../../../http/wire/wire-types.ts';
import { one } from '../shared.wire.ts';

export const PushKeyResponse = one(
  z.strictObject({ public_key: z.string().describe('The applicationServerKey with which a browser subscribes') }).meta({ id: 'PushKey' }),
).meta({ id: 'PushKeyResponse' });

export const SubscriptionShape = z.strictObject({ uuid: z.int(), created_at: instant() }).meta({ id: 'PushSubscriptionRecord' });
export const SubscriptionResponse = one(SubscriptionShape).meta({ id: 'PushSubscriptionResponse' });

const base64url = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^[\w-]+={0,2}$/, 'must be written in base64url');

function isPoint(written: string): boolean {
  const bytes = Buffer.from(written, 'base64url');
  if (bytes.length !== 65 || bytes[0] !== 4) return false;
  try {
    ECDH.convertKey(bytes, 'prime256v1');
    return true;
  } catch {
    return false;
  }
}

/** As a browser writes its subscription: PushSubscription.toJSON(). */
export const NewSubscription = z
  .object({
    endpoint: text(2_000).meta({ pattern: '^https://' }).describe('The https URL of a push service'),
    expirationTime: z.number().nullable().optional().describe('Ignored: push services report expired subscriptions'),
    keys: z.object({
      p256dh: base64url(100).refine(isPoint, 'must be a public key of the curve P-256'),
      auth: base64url(32).refine((written) => Buffer.from(written, 'base64url').length === 16, 'must be 16 bytes'),
    }),
  })
  .meta({ id: 'PushSubscriptionCreate' });

export const subscriptionParams = z.object({ uuid: longId().describe('Push subscription id') });

export const fromSubscription = ({ id: uuid, createdAt }: Subscription): z.input<typeof SubscriptionShape> => ({
  uuid,
  created_at: writeInstant(createdAt),
});

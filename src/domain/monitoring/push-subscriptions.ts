import { z } from 'zod';
import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/keyring.ts';
import type { DeviceSubscription } from '../../gateways/push.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { forbidden, notFound } from '../errors.ts';
import { hashToken } from '../identity/secrets.ts';

/** A device of a user that wants to be told; where it is reached stays sealed. */
export interface Subscription {
  id: number;
  createdAt: Date;
}

/** One person has a few devices; the oldest subscriptions beyond these are of devices that are gone. */
const MAX_PER_USER = 20;
/** What subscriptions are encrypted for (see keyring.ts). */
export const SUBSCRIPTION_PURPOSE = 'push-subscription';

const sealed = z.object({ endpoint: z.string(), keys: z.object({ p256dh: z.string(), auth: z.string() }) });

/** @throws KeyringError where it does not open with these master keys */
export const openSubscription = (keyring: Keyring, subscription: string): DeviceSubscription =>
  sealed.parse(JSON.parse(keyring.decrypt(SUBSCRIPTION_PURPOSE, subscription)));

/**
 * Takes down where a device of the caller is reached, for as long as the session lasts. A device that is known already
 * belongs to whoever signed in on it last.
 * @throws Failure forbidden where nobody signed in
 */
export async function subscribeDevice(db: Db, caller: Caller, keyring: Keyring, device: DeviceSubscription): Promise<Subscription> {
  const { organizationId, userId, sessionId } = caller;
  if (userId === null || sessionId === null) throw forbidden('wrong_token', 'A device belongs to a user who signed in.');
  const endpointHash = hashToken(device.endpoint);
  const subscription = keyring.encrypt(SUBSCRIPTION_PURPOSE, JSON.stringify(sealed.parse(device)));
  const kept = await db.pushSubscription.upsert({
    where: { organizationId_endpointHash: { organizationId, endpointHash } },
    create: { organizationId, userId, sessionId, endpointHash, subscription },
    update: { userId, sessionId, subscription },
    select: { id: true, createdAt: true },
  });
  recordChange(caller, 'create', { name: 'push_subscription.created', subject: 'push_subscription', id: kept.id });
  const older = await db.pushSubscription.findMany({
    where: { organizationId, userId, id: { not: kept.id } },
    orderBy: { id: 'desc' },
    skip: MAX_PER_USER - 1,
    select: { id: true },
  });
  await deleteSubscriptions(
    db,
    caller,
    older.map(({ id }) => id),
  );
  return kept;
}

/** Tells a device of the caller no more. @throws Failure not_found, also for a device of another user */
export async function unsubscribeDevice(db: Db, caller: Caller, id: number): Promise<void> {
  const { organizationId, userId } = caller;
  const own = await db.pushSubscription.findFirst({ where: { organizationId, id, userId: userId ?? 0 }, select: { id: true } });
  if (!own) throw notFound('push subscription');
  await deleteSubscriptions(db, caller, [id]);
}

/** Takes subscriptions away, in the order of their ids. Those that are gone already are no change. */
export async function deleteSubscriptions(db: Db, caller: Caller, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    const { count } = await db.pushSubscription.deleteMany({ where: { organizationId: caller.organizationId, id } });
    if (count > 0) recordChange(caller, 'delete', { name: 'push_subscription.deleted', subject: 'push_subscription', id });
  }
}

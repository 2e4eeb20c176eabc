import { z } from 'zod';
import { decryptIn, ENCRYPTED, encryptIn, type RowOfValue } from '../../database/encryption/encrypted-columns.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import type { DeviceSubscription } from '../../gateways/push/push.ts';
import { recordChange } from '../audit/journal-entries.ts';
import { forbidden, notFound } from '../errors.ts';
import { hashToken } from '../identity/secrets.ts';
import type { Tx } from '../tx.ts';

/** The push subscription of a device. Its endpoint and keys stay encrypted. */
export interface Subscription {
  id: number;
  createdAt: Date;
}

/** Subscriptions of one user. Older ones are deleted, because a person has only a few devices. */
const MAX_PER_USER = 20;

const sealed = z.object({ endpoint: z.string(), keys: z.object({ p256dh: z.string(), auth: z.string() }) });

/** @throws KeyringError where no master key decrypts it, or it is of another row */
export const openSubscription = (keyring: Keyring, of: RowOfValue, subscription: string): DeviceSubscription =>
  sealed.parse(JSON.parse(decryptIn(keyring, ENCRYPTED.pushSubscription, of, subscription)));

/**
 * Stores the push subscription of the caller's device for the duration of the session. A device that is known already is
 * assigned to the user who signed in last.
 * @throws Failure forbidden where the caller is no signed-in user
 */
export async function subscribeDevice(tx: Tx, keyring: Keyring, device: DeviceSubscription): Promise<Subscription> {
  const { userId, sessionId } = tx;
  if (userId === null || sessionId === null) throw forbidden('wrong_token', 'A device belongs to a user who signed in.');
  const endpointHash = hashToken(device.endpoint);
  const kept = await tx.prisma.pushSubscription.upsert({
    where: { organizationId_endpointHash: { ...tx.practice, endpointHash } },
    create: { ...tx.practice, userId, sessionId, endpointHash, subscription: '' },
    update: { userId, sessionId },
    select: { id: true, createdAt: true },
  });
  // Encrypted for its row, whose id is known only now.
  const subscription = encryptIn(
    keyring,
    ENCRYPTED.pushSubscription,
    { ...tx.practice, row: kept.id },
    JSON.stringify(sealed.parse(device)),
  );
  await tx.prisma.pushSubscription.update({ where: tx.key(kept.id), data: { subscription } });
  recordChange(tx, 'create', { name: 'push_subscription.created', id: kept.id });
  const older = await tx.prisma.pushSubscription.findMany({
    where: { ...tx.practice, userId, id: { not: kept.id } },
    orderBy: { id: 'desc' },
    skip: MAX_PER_USER - 1,
    select: { id: true },
  });
  await deleteSubscriptions(
    tx,
    older.map(({ id }) => id),
  );
  return kept;
}

/** Deletes a push subscription of the caller. @throws Failure not_found, also for another user's */
export async function unsubscribeDevice(tx: Tx, id: number): Promise<void> {
  const own = await tx.prisma.pushSubscription.findFirst({ where: { ...tx.practice, id, userId: tx.userId ?? 0 }, select: { id: true } });
  if (!own) throw notFound('push subscription');
  await deleteSubscriptions(tx, [id]);
}

/** Deletes subscriptions, in the order of their ids. Ids without a row are skipped. */
export async function deleteSubscriptions(tx: Tx, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    const { count } = await tx.prisma.pushSubscription.deleteMany({ where: { ...tx.practice, id } });
    if (count > 0) recordChange(tx, 'delete', { name: 'push_subscription.deleted', id });
  }
}

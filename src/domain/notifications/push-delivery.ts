import type { RowOfValue } from '../../database/encryption/encrypted-columns.ts';
import { type Keyring, KeyringError } from '../../database/encryption/keyring.ts';
import type { DeviceSubscription } from '../../gateways/push/push.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Tx } from '../tx.ts';
import { isAboutRestricted } from './notification-feed.ts';
import { deleteSubscriptions, openSubscription } from './push-subscriptions.ts';

/** A notification, and the devices that have not received it yet. */
export interface PushDelivery {
  topic: string;
  /** JSON with a kind and ids, no patient data. The app reads the record from this server with its own permissions. */
  payload: string;
  devices: { id: number; to: DeviceSubscription }[];
}

/** Answers of push services, as ids of subscriptions. */
export interface PushOutcome {
  accepted: number[];
  gone: number[];
}

/**
 * Finds the devices that have not received a notification yet: those of open sessions, where the user is active and accepts
 * push notices. Nobody is told of a patient whose chart has been restricted or blocked since.
 * @returns null where there is none; the notification is complete then
 */
export async function planPushDelivery(tx: Tx, id: number, keyring: Keyring): Promise<PushDelivery | null> {
  const notification = await tx.prisma.notification.findUnique({ where: tx.key(id) });
  if (!notification || notification.settledAt !== null) return null;
  const { kind, subjectType, subjectId, userId } = notification;
  const rows = await tx.prisma.pushSubscription.findMany({
    where: {
      ...tx.practice,
      userId,
      user: { active: true, receivePushNotices: true },
      session: { revokedAt: null, expiresAt: { gt: new Date() } },
      deliveries: { none: { ...tx.practice, notificationId: id } },
    },
    orderBy: { id: 'asc' },
    select: { id: true, subscription: true },
  });
  const devices = rows.flatMap(({ id: deviceId, subscription }) => {
    const to = tryOpenSubscription(keyring, { ...tx.practice, row: deviceId }, subscription);
    return to ? [{ id: deviceId, to }] : [];
  });
  if (devices.length === 0 || (await isAboutRestricted(tx, id))) {
    await completePushDelivery(tx, id);
    return null;
  }
  // The device shows a notification of a tag once, should a push service bring it twice.
  const payload = JSON.stringify({ kind, uuid: id, subject: { type: subjectType, uuid: subjectId }, tag: `notification-${id}` });
  return { topic: `notification-${id}`, payload, devices };
}

/** Null for a subscription that no present key decrypts, so that the other devices still receive the notification. */
function tryOpenSubscription(keyring: Keyring, of: RowOfValue, subscription: string): DeviceSubscription | null {
  try {
    return openSubscription(keyring, of, subscription);
  } catch (error) {
    if (error instanceof KeyringError) return null;
    throw error;
  }
}

/** Records the devices that accepted a notification, and deletes the subscriptions of devices that are gone. */
export async function recordPushOutcome(tx: Tx, id: number, { accepted, gone }: PushOutcome): Promise<void> {
  const { organizationId } = tx;
  await deleteSubscriptions(tx, gone);
  if (accepted.length === 0) return;
  // A subscription that was deleted meanwhile has no row to refer to.
  await tx.prisma.$executeRaw`
    INSERT INTO push_delivery (organization_id, notification_id, subscription_id)
    SELECT ${organizationId}::int, ${id}::bigint, id FROM push_subscription WHERE organization_id = ${organizationId} AND id = ANY (${accepted}::bigint[])
        ON CONFLICT DO NOTHING`;
  const { count } = await tx.prisma.notification.updateMany({
    where: { organizationId, id, pushedAt: null },
    data: { pushedAt: new Date() },
  });
  if (count > 0) recordChange(tx, 'update', { name: 'notification.pushed', id, changed: ['pushedAt'] });
}

/** Marks the delivery of a notification as complete: all devices have it, or the attempts were given up. */
export async function completePushDelivery(tx: Tx, id: number): Promise<void> {
  const { count } = await tx.prisma.notification.updateMany({
    where: { ...tx.practice, id, settledAt: null },
    data: { settledAt: new Date() },
  });
  if (count > 0) recordChange(tx, 'update', { name: 'notification.resolved', id, changed: ['settledAt'] });
}

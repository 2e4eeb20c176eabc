import type { Keyring } from '../../../database/encryption/keyring.ts';
import { invalid } from '../../../domain/errors.ts';
import { subscribeDevice, unsubscribeDevice } from '../../../domain/notifications/push-subscriptions.ts';
import type { Push } from '../../../gateways/push/push.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { fromSubscription, NewSubscription, PushKeyResponse, SubscriptionResponse, subscriptionParams } from './push.wire.ts';

export function pushRoutes(endpoints: Endpoints, { push, keyring }: { push: Push; keyring: Keyring }): void {
  const { get, post, remove } = endpoints.group({ tag: 'Notifications', beyondDocument: true });
  get('/push-key', {
    operationId: 'getPushKey',
    summary: 'Read the public key for push subscriptions',
    description: 'The key never changes.',
    response: PushKeyResponse,
    etag: true,
    handle: async () => ({ data: { public_key: await push.publicKey() } }),
  });

  post('/push-subscriptions', {
    operationId: 'createPushSubscription',
    summary: 'Subscribe a device to push notifications',
    description:
      'The subscription lasts while you are signed in on the device. A push message contains a kind and ids only; read the records over this API. A device that is already subscribed keeps its id.',
    body: NewSubscription,
    response: SubscriptionResponse,
    status: 201,
    handle: async ({ tx, body: { endpoint, keys } }) => {
      if (!push.accepts(endpoint)) throw invalid('endpoint', 'must be an https address of a push service', 'endpoint_not_allowed');
      return { data: fromSubscription(await subscribeDevice(tx, keyring, { endpoint, keys })) };
    },
  });

  remove('/push-subscriptions/:uuid', {
    operationId: 'deletePushSubscription',
    summary: 'Unsubscribe a device from push notifications',
    description: 'Signing out also unsubscribes the device.',
    params: subscriptionParams,
    handle: ({ tx, params }) => unsubscribeDevice(tx, params.uuid),
  });
}

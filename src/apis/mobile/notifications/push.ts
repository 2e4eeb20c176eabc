import type { Keyring } from '../../../database/encryption/keyring.ts';
import { invalid } from '../../../domain/errors.ts';
import { subscribeDevice, unsubscribeDevice } from '../../../domain/notifications/push-subscriptions.ts';
import type { Push } from '../../../gateways/push/push.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { NoContent } from '../shared.wire.ts';
import { fromSubscription, NewSubscription, PushKeyResponse, SubscriptionResponse, subscriptionParams } from './push.wire.ts';

export function pushRoutes({ get, post, delete: remove }: Endpoints, { push, keyring }: { push: Push; keyring: Keyring }): void {
  get('/push-key', {
    operationId: 'getPushKey',
    beyondDocument: true,
    summary: 'Read the public key for push subscriptions',
    description: 'The key never changes.',
    tag: 'Notifications',
    response: PushKeyResponse,
    etag: true,
    handle: async () => ({ data: { public_key: await push.publicKey() } }),
  });

  post('/push-subscriptions', {
    operationId: 'createPushSubscription',
    beyondDocument: true,
    summary: 'Subscribe a device to push notifications',
    description:
      'The subscription lasts while you are signed in on the device. A push message contains a kind and ids only; read the records over this API. A device that is already subscribed keeps its id.',
    tag: 'Notifications',
    body: NewSubscription,
    response: SubscriptionResponse,
    status: 201,
    handle: async ({ db, caller, body: { endpoint, keys } }) => {
      if (!push.accepts(endpoint)) throw invalid('endpoint', 'must be an https address of a push service', 'endpoint_not_allowed');
      return { data: fromSubscription(await subscribeDevice(db, caller, keyring, { endpoint, keys })) };
    },
  });

  remove('/push-subscriptions/:uuid', {
    operationId: 'deletePushSubscription',
    beyondDocument: true,
    summary: 'Unsubscribe a device from push notifications',
    description: 'Signing out also unsubscribes the device.',
    tag: 'Notifications',
    params: subscriptionParams,
    response: NoContent,
    status: 204,
    handle: async ({ db, caller, params }) => {
      await unsubscribeDevice(db, caller, params.uuid);
      return null;
    },
  });
}

import { kind } from './event-kind.ts';

const ENDPOINT = ['url', 'description', 'types', 'dialect', 'signatures', 'active'];

/** Events of the addresses to which events are delivered. */
export const WEBHOOK_EVENTS = {
  'webhook_endpoint.created': kind('webhook_endpoint', 'A webhook endpoint was created.'),
  'webhook_endpoint.updated': kind('webhook_endpoint', 'A webhook endpoint was changed.', ...ENDPOINT),
  'webhook_endpoint.deleted': kind('webhook_endpoint', 'A webhook endpoint was deleted, with its deliveries.'),
  'webhook_endpoint.secret_rotated': kind(
    'webhook_endpoint',
    'A webhook endpoint got a new secret; deliveries are also signed with the previous one for 24 hours.',
  ),
  'webhook_endpoint.switched_off': kind(
    'webhook_endpoint',
    'The server stopped delivering to an endpoint, because it answered 410 or because nothing could be delivered for five days.',
  ),
  'webhook_endpoint.tested': kind('webhook_endpoint', 'A test delivery was requested. It goes only to this endpoint.'),
};

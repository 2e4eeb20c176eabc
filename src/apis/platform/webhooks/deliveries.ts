import type { FastifyRequest } from 'fastify';
import { organizationZone } from '../../../domain/practices/organization-zone.ts';
import { readRange } from '../../../domain/values/time/date-range.ts';
import { listDeliveries, replay, retryDelivery } from '../../../domain/webhooks/deliveries.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { readOrigin } from '../../../http/wire/links.ts';
import { WEBHOOKS } from './webhooks.ts';
import {
  DeliveryList,
  DeliveryResponse,
  deliveriesQuery,
  deliveryParams,
  endpointParams,
  fromDelivery,
  fromReplay,
  ReplayRequest,
  ReplayResponse,
} from './webhooks.wire.ts';

const BOUNDS = { min: 'from', max: 'to' };

/** Deliveries of webhook endpoints: what became of them, and past ones once more. */
export function webhookDeliveryRoutes(endpoints: Endpoints): void {
  const { get, post } = endpoints.group(WEBHOOKS);
  get('/webhook-endpoints/:id/deliveries', {
    operationId: 'listWebhookDeliveries',
    summary: 'List the deliveries of a webhook endpoint',
    description:
      'Newest first; with `after_sequence`, oldest first, so that a receiver can read deliveries that it missed in `webhook-sequence`. Delivered and dead ones are kept for 30 days.',
    params: endpointParams,
    query: deliveriesQuery,
    response: DeliveryList,
    handle: async ({ tx, params, query, request }) => {
      const { status: state, after_sequence: afterSequence, before_sequence: beforeSequence, limit, from: min, to: max } = query;
      const range = await readRange({ min, max, fields: BOUNDS }, () => organizationZone(tx));
      const { deliveries, hasMore } = await listDeliveries(tx, params.id, { state, range, afterSequence, beforeSequence, limit });
      const last = deliveries.at(-1)?.sequence;
      const bound = afterSequence === undefined ? 'before_sequence' : 'after_sequence';
      return { data: deliveries.map(fromDelivery), links: { next: hasMore && last !== undefined ? nextLink(request, bound, last) : null } };
    },
  });

  post('/deliveries/:id/retry', {
    operationId: 'retryWebhookDelivery',
    summary: 'Retry a delivery to a webhook endpoint',
    description:
      'Sends a delivered or dead one again, with ten new attempts; one that waits for another attempt becomes due immediately. It keeps its `webhook-id` and `webhook-sequence`.',
    params: deliveryParams,
    response: DeliveryResponse,
    handle: async ({ tx, params }) => ({ data: fromDelivery(await retryDelivery(tx, params.id)) }),
  });

  post('/webhook-endpoints/:id/replay', {
    operationId: 'replayWebhookEvents',
    summary: 'Replay past events to a webhook endpoint',
    description:
      'Delivers the events of that time again, in order, with new `webhook-sequence` numbers and the original `webhook-id`. 410 `cursor_expired` if the event log starts later; 409 `replay_open` until the last delivery of the previous replay is delivered or dead.',
    params: endpointParams,
    body: ReplayRequest,
    response: ReplayResponse,
    status: 202,
    handle: async ({ tx, params, body }) => {
      const range = await readRange({ min: body.from, max: body.to, fields: BOUNDS }, () => organizationZone(tx));
      const [from, to] = [range.from ?? new Date(0), range.before ?? new Date()];
      return { data: fromReplay(await replay(tx, params.id, { from, to, eventNames: body.types })) };
    },
  });
}

function nextLink(request: FastifyRequest, bound: 'after_sequence' | 'before_sequence', sequence: number): string {
  const { pathname, searchParams } = new URL(request.url, 'http://here');
  searchParams.set(bound, String(sequence));
  return `${readOrigin(request)}${pathname}?${searchParams}`;
}

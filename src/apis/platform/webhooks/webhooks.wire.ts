import { z } from 'zod';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { type Delivery, isBeingSent, type Replay } from '../../../domain/webhooks/deliveries.ts';
import { type EndpointChanges, type EndpointInput, LONGEST_URL, type ShownEndpoint } from '../../../domain/webhooks/endpoints.ts';
import { one, wrapList } from '../../../http/wire/envelopes.ts';
import { dateBound, flag, id, instant, LARGEST_LONG_ID, longId, optional, paging, text, toNumber } from '../../../http/wire/wire-types.ts';
import { dialects, EventShape } from '../events/events.wire.ts';

export const WEBHOOK_NAMES = { eventNames: 'types' } as const;

const SIGNATURES = ['v1', 'v1a'] as const;

const ENDPOINT = {
  id: z.int().describe('Id of the endpoint'),
  url: z.string().describe('Address to which events are posted'),
  description: z.string().nullable().describe('Note for people; null if there is none'),
  types: z.array(z.string()).describe('Kinds of events to deliver, by name or as `appointment.*`; empty for all'),
  dialect: dialects.nullable().describe('API whose field names `changed` uses; null for the names in docs/events.md'),
  signatures: z.array(z.enum(SIGNATURES)).describe('v1: HMAC-SHA256 with the secret; v1a: additionally Ed25519'),
  public_key: z.string().nullable().describe('`whpk_` and the Ed25519 key in base64, for verifying v1a; null without v1a'),
  active: z.boolean().describe('Whether events are delivered'),
  resting: z
    .boolean()
    .describe(
      'Whether delivery is paused because its API client is disabled or lost the scope; it resumes when the client has access again',
    ),
  switched_off: z
    .enum(['gone', 'failing'])
    .nullable()
    .describe(
      'Why the server set it inactive: it responded with 410, or nothing could be delivered for five days; null if the server did not',
    ),
  switched_off_at: instant().nullable().describe('When the server set it inactive'),
  failing_since: instant()
    .nullable()
    .describe('First failure since the last success; null if the last attempt succeeded or there was none'),
  last_sequence: z.int().describe('`webhook-sequence` of the newest delivery; 0 before the first'),
  client_id: z.string().nullable().describe('API client that created it; null if an administrator of the practice did'),
  created_at: instant().describe('When it was created; later events are delivered'),
};

const EndpointShape = z.strictObject(ENDPOINT).meta({ id: 'WebhookEndpoint' });
const WithSecretShape = z
  .strictObject({ ...ENDPOINT, secret: z.string().describe('`whsec_` and 32 bytes in base64, for verifying v1; shown only once') })
  .meta({ id: 'WebhookEndpointWithSecret' });

export const EndpointResponse = one(EndpointShape).meta({ id: 'WebhookEndpointResponse' });
export const EndpointList = wrapList(EndpointShape).meta({ id: 'WebhookEndpointList' });
export const EndpointWithSecretResponse = one(WithSecretShape).meta({ id: 'WebhookEndpointWithSecretResponse' });

export const endpointParams = z.object({ id: id().describe('Webhook endpoint id') });
export const endpointsQuery = z.object(paging);

const types = z
  .array(text(100).meta({ pattern: String.raw`^[a-z_]+\.([a-z_]+|\*)$` }))
  .max(200)
  .describe('Kinds of events, by name or as `appointment.*` for all appointment events; empty for all');

const FIELDS = {
  url: text(LONGEST_URL)
    .min(1)
    .meta({ format: 'uri' })
    .describe('Public https address without user and password; may contain a secret in its path or query'),
  description: optional(text(500)).describe('Note for people'),
  dialect: optional(dialects).describe('API whose field names `changed` uses; null for the names in docs/events.md'),
  types,
  signatures: z
    .array(z.enum(SIGNATURES))
    .max(2)
    .describe('v1a: also sign deliveries with Ed25519, which a receiver verifies without a secret. v1 is always included'),
};

/** A member that is misspelled is refused: an endpoint without kinds gets all events. */
export const EndpointCreateRequest = z
  .strictObject({
    ...FIELDS,
    types: types.default([]),
    signatures: FIELDS.signatures.default(['v1']),
    active: flag().default(true).describe('Whether events are delivered from now on'),
  })
  .meta({ id: 'WebhookEndpointCreateRequest' });

export const EndpointUpdateRequest = z
  .strictObject({
    url: FIELDS.url.optional(),
    description: FIELDS.description,
    dialect: FIELDS.dialect,
    types: types.optional(),
    signatures: FIELDS.signatures.optional(),
    active: flag().optional().describe('true switches it on again; events since then are delivered as far as the event log reaches back'),
  })
  .meta({ id: 'WebhookEndpointUpdateRequest' });

export const toInput = (body: z.output<typeof EndpointCreateRequest>): EndpointInput => ({
  url: body.url,
  description: body.description ?? null,
  dialect: body.dialect ?? null,
  eventNames: body.types,
  asymmetric: body.signatures.includes('v1a'),
  active: body.active,
});

export const toChanges = (body: z.output<typeof EndpointUpdateRequest>): EndpointChanges => ({
  url: body.url,
  description: body.description,
  dialect: body.dialect,
  eventNames: body.types,
  asymmetric: body.signatures?.includes('v1a'),
  active: body.active,
});

export const fromEndpoint = (endpoint: ShownEndpoint): z.input<typeof EndpointShape> => ({
  id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description,
  types: endpoint.eventNames,
  dialect: endpoint.dialect,
  signatures: endpoint.publicKey === null ? ['v1'] : [...SIGNATURES],
  public_key: endpoint.publicKey,
  active: endpoint.active,
  resting: endpoint.resting,
  switched_off: endpoint.switchedOff,
  switched_off_at: writeInstant(endpoint.switchedOffAt),
  failing_since: writeInstant(endpoint.failingSince),
  last_sequence: endpoint.lastSequence,
  client_id: endpoint.clientId,
  created_at: writeInstant(endpoint.createdAt),
});

export const fromEndpointWithSecret = ({
  endpoint,
  secret,
}: {
  endpoint: ShownEndpoint;
  secret: string;
}): z.input<typeof EndpointWithSecretResponse> => ({ data: { ...fromEndpoint(endpoint), secret } });

const STATES = ['pending', 'delivered', 'dead'] as const;

const DeliveryShape = z
  .strictObject({
    id: z.int().describe('Id of the delivery'),
    sequence: z.int().describe('`webhook-sequence`: 1, 2, 3 for each endpoint, without gaps'),
    status: z.enum(STATES).describe('pending: attempts remain; delivered: the receiver answered 2xx; dead: the tenth attempt failed'),
    attempts: z.int().describe('Number of attempts so far, ten at most'),
    next_attempt_at: instant()
      .nullable()
      .describe(
        'When a pending delivery is next attempted; null while it is being sent or waits for an earlier delivery about the same record',
      ),
    last_attempt_at: instant().nullable().describe('When it was last attempted'),
    response_status: z.int().nullable().describe('Status of the last response; null if there was none'),
    response_body: z.string().nullable().describe('First 1,024 bytes of the last response; null if there was none'),
    failure: z
      .string()
      .nullable()
      .describe(
        'If there was no response: timeout (15 seconds), unreachable, bad_certificate, no_http (not HTTP), refused_address (not a public address)',
      ),
    replay: z.int().nullable().describe('Id of the replay that queued it; null if the event did'),
    queued_at: instant().describe('When it was queued'),
    finished_at: instant().nullable().describe('When it was delivered or dead; it is kept for 30 days after that'),
    event: EventShape.describe('The event as posted'),
  })
  .meta({ id: 'WebhookDelivery' });

export const DeliveryResponse = one(DeliveryShape).meta({ id: 'WebhookDeliveryResponse' });
export const DeliveryList = z
  .strictObject({
    data: z.array(DeliveryShape).describe('The deliveries of this page'),
    links: z.strictObject({ next: z.string().nullable().describe('Address of the next page; null on the last one') }),
  })
  .meta({ id: 'WebhookDeliveryList' });

export const deliveryParams = z.object({ id: longId().describe('Delivery id') });

const limitError = 'must be an integer from 1 to 1000';
const sequenceError = 'must be an integer from 0';
const sequence = () =>
  z
    .preprocess(
      toNumber(16),
      z.int({ error: sequenceError }).min(0, { error: sequenceError }).max(LARGEST_LONG_ID, { error: sequenceError }),
    )
    .optional();

export const deliveriesQuery = z.object({
  status: z.enum(STATES).optional().describe('Only deliveries in this state'),
  from: dateBound().optional().describe('Only deliveries queued from this day of the practice, or date and time, on'),
  to: dateBound().optional().describe('Only deliveries queued until this day (inclusive), or date and time'),
  after_sequence: sequence().describe(
    'Only later ones, oldest first; send the last sequence received to list what is missing. Without it, newest first',
  ),
  before_sequence: sequence().describe('Only earlier ones, newest first; set in the link to the next page'),
  limit: z
    .preprocess(toNumber(4), z.int({ error: limitError }).min(1, { error: limitError }).max(1_000, { error: limitError }))
    .default(100)
    .describe('Deliveries per page'),
});

export const fromDelivery = (delivery: Delivery): z.input<typeof DeliveryShape> => ({
  id: delivery.id,
  sequence: delivery.sequence,
  status: delivery.state,
  attempts: delivery.attempts,
  next_attempt_at: delivery.state === 'pending' && !isBeingSent(delivery) ? writeInstant(delivery.nextAttemptAt) : null,
  last_attempt_at: writeInstant(delivery.lastAttemptAt),
  response_status: delivery.status,
  response_body: delivery.answer,
  failure: delivery.failure,
  replay: delivery.replayId,
  queued_at: writeInstant(delivery.createdAt),
  finished_at: writeInstant(delivery.finishedAt),
  event: JSON.parse(delivery.payload),
});

export const ReplayRequest = z
  .object({
    from: dateBound().describe('Events from this day of the practice, or date and time, on'),
    to: dateBound().optional().describe('Events until this day (inclusive), or date and time; now by default'),
    types: types.default([]).describe('Only these kinds; those of the endpoint by default'),
  })
  .meta({ id: 'WebhookReplayRequest' });

const ReplayShape = z
  .strictObject({
    id: z.int().describe('Id of the replay, as in its deliveries'),
    from: instant().describe('Start of the replayed events'),
    to: instant().describe('End of the replayed events, exclusive'),
    types: z.array(z.string()).describe('Only these kinds; empty for those of the endpoint'),
    created_at: instant().describe('When it was asked for'),
  })
  .meta({ id: 'WebhookReplay' });

export const ReplayResponse = one(ReplayShape).meta({ id: 'WebhookReplayResponse' });

export const fromReplay = (replay: Replay): z.input<typeof ReplayShape> => ({
  id: replay.id,
  from: writeInstant(replay.fromTime),
  to: writeInstant(replay.toTime),
  types: replay.eventNames,
  created_at: writeInstant(replay.createdAt),
});

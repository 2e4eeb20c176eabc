import { z } from 'zod';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { type Delivery, isBeingSent, type Replay } from '../../../domain/webhooks/deliveries.ts';
import { type EndpointChanges, type EndpointInput, LONGEST_URL, type ShownEndpoint } from '../../../domain/webhooks/endpoints.ts';
import { one, wrapList } from '../../../http/wire/envelopes.ts';
import { dateBound, flag, id, instant, LARGEST_LONG_ID, longId, optional, paging, text, toNumber } from '../../../http/wire/wire-types.ts';
import { dialects, EventShape } from '../events/events.wire.ts';

/** The name on the wire of each field of an endpoint. */
export const WEBHOOK_NAMES = { eventNames: 'types' } as const;

const SIGNATURES = ['v1', 'v1a'] as const;

const ENDPOINT = {
  id: z.int().describe('Id of the endpoint'),
  url: z.string().describe('Address to which events are posted'),
  description: z.string().nullable().describe('A note for people; null without one'),
  types: z.array(z.string()).describe('Kinds of events that it gets, by name or as `appointment.*`; none: all'),
  dialect: dialects.nullable().describe('The API in whose field names `changed` is; null: the names of docs/events.md'),
  signatures: z.array(z.enum(SIGNATURES)).describe('v1: HMAC-SHA256 with the secret; v1a: Ed25519 beside it'),
  public_key: z.string().nullable().describe('`whpk_` and the Ed25519 key in base64, with which v1a is verified; null without v1a'),
  active: z.boolean().describe('Whether events are delivered'),
  resting: z
    .boolean()
    .describe(
      'Whether its API client is disabled or has lost the scope: nothing is delivered until it has it again; then delivery resumes',
    ),
  switched_off: z
    .enum(['gone', 'failing'])
    .nullable()
    .describe('Why the server set it inactive: it answered 410, or nothing could be delivered for five days; null: it did not'),
  switched_off_at: instant().nullable().describe('When the server set it inactive'),
  failing_since: instant()
    .nullable()
    .describe('The first failure since the last success; null: the last attempt succeeded, or there was none'),
  last_sequence: z.int().describe('`webhook-sequence` of the newest delivery; 0 before the first'),
  client_id: z.string().nullable().describe('The API client that made it, and sees it; null: an administrator of the practice did'),
  created_at: instant().describe('When it was made; what happens from then on is delivered'),
};

const EndpointShape = z.strictObject(ENDPOINT).meta({ id: 'WebhookEndpoint' });
const WithSecretShape = z
  .strictObject({ ...ENDPOINT, secret: z.string().describe('`whsec_` and 32 bytes in base64, with which v1 is verified; shown this once') })
  .meta({ id: 'WebhookEndpointWithSecret' });

export const EndpointResponse = one(EndpointShape).meta({ id: 'WebhookEndpointResponse' });
export const EndpointList = wrapList(EndpointShape).meta({ id: 'WebhookEndpointList' });
export const EndpointWithSecretResponse = one(WithSecretShape).meta({ id: 'WebhookEndpointWithSecretResponse' });

export const endpointParams = z.object({ id: id().describe('Webhook endpoint id') });
export const endpointsQuery = z.object(paging);

const types = z
  .array(text(100).meta({ pattern: String.raw`^[a-z_]+\.([a-z_]+|\*)$` }))
  .max(200)
  .describe('Kinds of events, by name or as `appointment.*`, which names all of appointments; none: all');

const FIELDS = {
  url: text(LONGEST_URL)
    .min(1)
    .meta({ format: 'uri' })
    .describe('https address of the internet, without a user or password in it; it may have a secret path or query of yours'),
  description: optional(text(500)).describe('A note for people'),
  dialect: optional(dialects).describe('The API in whose field names `changed` is; null for the names of docs/events.md'),
  types,
  signatures: z
    .array(z.enum(SIGNATURES))
    .max(2)
    .describe('v1a: deliveries have an Ed25519 signature too, which a receiver verifies without a secret. v1 is always there'),
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
    active: flag().optional().describe('true switches it on again, and what happened meanwhile is delivered, as far as the log is kept'),
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
    attempts: z.int().describe('Attempts made so far, ten at most'),
    next_attempt_at: instant()
      .nullable()
      .describe('Of a pending one; null: it is being sent, or waits for an earlier delivery about the same record'),
    last_attempt_at: instant().nullable().describe('When it was last attempted'),
    response_status: z.int().nullable().describe('Status of the last response; null without one'),
    response_body: z.string().nullable().describe('The first 1,024 bytes of the last response; null without one'),
    failure: z
      .string()
      .nullable()
      .describe(
        'Where there was no answer: timeout (15 seconds), unreachable, bad_certificate, no_http (something else answered), refused_address (it is not one of the internet)',
      ),
    replay: z.int().nullable().describe('Id of the replay by which it was queued again; null: by the event itself'),
    queued_at: instant().describe('When it was queued'),
    finished_at: instant().nullable().describe('When it was delivered or dead; it is kept for 30 days from then'),
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
  status: z.enum(STATES).optional().describe('Only these'),
  from: dateBound().optional().describe('Queued from this day of the practice, or date and time, on'),
  to: dateBound().optional().describe('Queued until this day (inclusive), or date and time'),
  after_sequence: sequence().describe(
    'Only later ones, the earliest first: with the last sequence that arrived, what is missing since. Without it, the latest are first',
  ),
  before_sequence: sequence().describe('Only earlier ones, the latest first; the link to the next page has it'),
  limit: z
    .preprocess(toNumber(4), z.int({ error: limitError }).min(1, { error: limitError }).max(1_000, { error: limitError }))
    .default(100)
    .describe('Deliveries a page'),
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
    id: z.int().describe('Id of the replay; its deliveries name it'),
    from: instant().describe('Start of the replayed events'),
    to: instant().describe('End of the replayed events, exclusive'),
    types: z.array(z.string()).describe('Only these kinds; none: those of the endpoint'),
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

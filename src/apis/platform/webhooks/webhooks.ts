import type { Config } from '../../../config/config.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { WEBHOOKS_SCOPE } from '../../../domain/identity/clients/client-scopes.ts';
import {
  createEndpoint,
  deleteEndpoint,
  findEndpoint,
  listEndpoints,
  rotateEndpointSecret,
  testEndpoint,
  updateEndpoint,
} from '../../../domain/webhooks/endpoints.ts';
import type { GuardedRequests } from '../../../gateways/requests/guarded-requests.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../../http/wire/envelopes.ts';
import {
  EndpointCreateRequest,
  EndpointList,
  EndpointResponse,
  EndpointUpdateRequest,
  EndpointWithSecretResponse,
  endpointParams,
  endpointsQuery,
  fromEndpoint,
  fromEndpointWithSecret,
  toChanges,
  toInput,
} from './webhooks.wire.ts';

export const WEBHOOKS = { tag: 'Webhooks', beyondDocument: true, scope: WEBHOOKS_SCOPE } as const;

export interface WebhookDeps {
  keyring: Keyring;
  gateways: { guarded: Pick<GuardedRequests, 'accepts'> };
  config: Pick<Config, 'PRACTICE_LIMITS'>;
}

/** The addresses to which events of the practice are delivered. An API client has the endpoints that it made; administrators have all. */
export function webhookRoutes(endpoints: Endpoints, { keyring, gateways, config }: WebhookDeps): void {
  const { get, post, put, remove } = endpoints.group(WEBHOOKS);
  const deps = { keyring, accepts: gateways.guarded.accepts, most: config.PRACTICE_LIMITS.endpoints };

  get('/webhook-endpoints', {
    operationId: 'listWebhookEndpoints',
    summary: 'List webhook endpoints',
    description: 'Oldest first. An API client sees those that it created; administrators see all of the practice.',
    query: endpointsQuery,
    response: EndpointList,
    handle: async ({ tx, query, request }) => writePage(request, await listEndpoints(tx, { keyring, page: query }), fromEndpoint),
  });

  post('/webhook-endpoints', {
    operationId: 'createWebhookEndpoint',
    stepUp: true,
    keyed: 'once',
    summary: 'Create a webhook endpoint',
    description:
      'Events from now on are posted to the address as described in /docs/webhooks. The secret is shown only once. A practice has at most 50 endpoints unless the operator sets another limit (409 `too_many_endpoints`).',
    body: EndpointCreateRequest,
    response: EndpointWithSecretResponse,
    status: 201,
    handle: async ({ tx, body }) => fromEndpointWithSecret(await createEndpoint(tx, deps, toInput(body))),
  });

  get('/webhook-endpoints/:id', {
    operationId: 'getWebhookEndpoint',
    summary: 'Read a webhook endpoint',
    params: endpointParams,
    response: EndpointResponse,
    handle: async ({ tx, params }) => ({ data: fromEndpoint(await findEndpoint(tx, { keyring, id: params.id })) }),
  });

  put('/webhook-endpoints/:id', {
    operationId: 'updateWebhookEndpoint',
    stepUp: true,
    summary: 'Update a webhook endpoint',
    description:
      'Omitted fields keep their values. An endpoint that is switched on again resumes where it stopped. A new address receives waiting deliveries immediately.',
    params: endpointParams,
    body: EndpointUpdateRequest,
    response: EndpointResponse,
    handle: async ({ tx, params, body }) => ({
      data: fromEndpoint(await updateEndpoint(tx, deps, { id: params.id, changes: toChanges(body) })),
    }),
  });

  remove('/webhook-endpoints/:id', {
    operationId: 'deleteWebhookEndpoint',
    stepUp: true,
    summary: 'Delete a webhook endpoint',
    description: 'Also deletes its deliveries. A delivery that is being sent may still arrive.',
    params: endpointParams,
    handle: ({ tx, params }) => deleteEndpoint(tx, params.id),
  });

  post('/webhook-endpoints/:id/rotate-secret', {
    operationId: 'rotateWebhookSecret',
    stepUp: true,
    keyed: 'once',
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'The new secret is shown only once. For 24 hours deliveries are signed with both secrets, so that the receiver can switch.',
    params: endpointParams,
    response: EndpointWithSecretResponse,
    handle: async ({ tx, params }) => fromEndpointWithSecret(await rotateEndpointSecret(tx, deps, params.id)),
  });

  post('/webhook-endpoints/:id/test', {
    operationId: 'testWebhookEndpoint',
    summary: 'Test a webhook endpoint',
    description:
      'Delivers a `webhook_endpoint.tested` event to this endpoint only, regardless of its types. The result is in the delivery after `last_sequence`. 409 `endpoint_is_off` while it is switched off, `endpoint_rests` while its API client may not receive events.',
    params: endpointParams,
    response: EndpointResponse,
    status: 202,
    handle: async ({ tx, params }) => {
      await testEndpoint(tx, params.id);
      return { data: fromEndpoint(await findEndpoint(tx, { keyring, id: params.id })) };
    },
  });
}

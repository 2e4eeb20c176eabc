import type { Config } from '../../../config/config.ts';
import {
  createPracticeClient,
  findPracticeClient,
  listPracticeClients,
  rotatePracticeClient,
  setPracticeClientActive,
  updatePracticeClient,
  withdrawPracticeClient,
} from '../../../domain/identity/clients/practice-clients.ts';
import type { Tx } from '../../../domain/tx.ts';
import type { GuardedRequests } from '../../../gateways/requests/guarded-requests.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../../http/wire/envelopes.ts';
import {
  ClientCreateRequest,
  ClientList,
  ClientResponse,
  ClientUpdateRequest,
  clientParams,
  clientsQuery,
  fromClient,
  fromClientWithSecret,
  RotateRequest,
  toClientChanges,
  toClientInput,
  WithSecretResponse,
} from './clients.wire.ts';

const CLIENTS = { tag: 'Clients', beyondDocument: true } as const;
const SHARED = 'A client that also acts for other practices can be changed only by the operator of the server (409 `shared_client`).';

const readClient = async (tx: Tx, id: number) => ({ data: fromClient(await findPracticeClient(tx, id)) });
const currentClient = ({ tx, params }: { tx: Tx; params: { uuid: number } }) => readClient(tx, params.uuid);

interface ClientDeps {
  gateways: { guarded: Pick<GuardedRequests, 'accepts'> };
  config: Pick<Config, 'PRACTICE_LIMITS'>;
}

export function clientRoutes(endpoints: Endpoints, { gateways, config }: ClientDeps): void {
  const { get, post, put } = endpoints.group(CLIENTS);
  const { accepts } = gateways.guarded;
  get('/clients', {
    operationId: 'listApplications',
    summary: 'List the API clients of the practice',
    description: 'Oldest first, with when each was last used and how old its secrets are.',
    query: clientsQuery,
    response: ClientList,
    handle: async ({ tx, query, request }) => writePage(request, await listPracticeClients(tx, query), fromClient),
  });

  post('/clients', {
    operationId: 'createApplication',
    stepUp: true,
    keyed: 'once',
    summary: 'Create an API client',
    description:
      'Creates a machine with a secret, which is shown only once, or with its own keys; or an app, to which people of the practice sign in. A practice has at most 200 clients unless the operator sets another limit (409 `too_many_clients`).',
    body: ClientCreateRequest,
    response: WithSecretResponse,
    status: 201,
    handle: async ({ tx, body }) => ({
      data: fromClientWithSecret(await createPracticeClient(tx, config.PRACTICE_LIMITS.clients, toClientInput(body, accepts))),
    }),
  });

  get('/clients/:uuid', {
    operationId: 'getApplication',
    summary: 'Read an API client',
    params: clientParams,
    response: ClientResponse,
    etag: true,
    handle: ({ tx, params }) => readClient(tx, params.uuid),
  });

  put('/clients/:uuid', {
    operationId: 'updateApplication',
    stepUp: true,
    summary: 'Update an API client',
    description: `Omitted fields keep their values. Its tokens lose removed scopes within a second. Setting keys ends its secrets. ${SHARED}`,
    params: clientParams,
    body: ClientUpdateRequest,
    response: ClientResponse,
    etag: true,
    current: currentClient,
    handle: async ({ tx, params, body }) => {
      await updatePracticeClient(tx, params.uuid, toClientChanges(body, accepts));
      return readClient(tx, params.uuid);
    },
  });
  credentialRoutes(endpoints);
}

function credentialRoutes(endpoints: Endpoints): void {
  const { post, remove } = endpoints.group(CLIENTS);
  post('/clients/:uuid/rotate', {
    operationId: 'rotateApplicationSecret',
    stepUp: true,
    keyed: 'once',
    summary: 'Rotate the secret of an API client',
    description: `The new secret is shown only once; the current one stays valid for the overlap. ${SHARED}`,
    params: clientParams,
    body: RotateRequest,
    bodyOptional: true,
    response: WithSecretResponse,
    handle: async ({ tx, params, body }) => ({
      data: fromClientWithSecret(await rotatePracticeClient(tx, params.uuid, body.overlap_hours)),
    }),
  });

  post('/clients/:uuid/disable', {
    operationId: 'disableApplication',
    stepUp: true,
    summary: 'Disable an API client',
    description: `It gets no tokens, and its tokens are refused within a second. ${SHARED}`,
    params: clientParams,
    response: ClientResponse,
    etag: true,
    current: currentClient,
    handle: async ({ tx, params }) => {
      await setPracticeClientActive(tx, params.uuid, false);
      return readClient(tx, params.uuid);
    },
  });

  post('/clients/:uuid/enable', {
    operationId: 'enableApplication',
    stepUp: true,
    summary: 'Enable an API client again',
    description: SHARED,
    params: clientParams,
    response: ClientResponse,
    etag: true,
    current: currentClient,
    handle: async ({ tx, params }) => {
      await setPracticeClientActive(tx, params.uuid, true);
      return readClient(tx, params.uuid);
    },
  });

  remove('/clients/:uuid', {
    operationId: 'deleteApplication',
    stepUp: true,
    summary: 'Delete an API client from the practice',
    description: 'It can no longer act for the practice; its tokens are refused within a second. Records that it created stay.',
    params: clientParams,
    current: currentClient,
    handle: ({ tx, params }) => withdrawPracticeClient(tx, params.uuid),
  });
}

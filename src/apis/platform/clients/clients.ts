import type { Config } from '../../../config/config.ts';
import type { Db } from '../../../database/database.ts';
import type { CallerIdentity } from '../../../domain/caller.ts';
import {
  createPracticeClient,
  findPracticeClient,
  listPracticeClients,
  rotatePracticeClient,
  setPracticeClientActive,
  updatePracticeClient,
  withdrawPracticeClient,
} from '../../../domain/identity/clients/practice-clients.ts';
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

const readClient = async (db: Db, caller: CallerIdentity, id: number) => ({ data: fromClient(await findPracticeClient(db, caller, id)) });
const currentClient = ({ db, caller, params }: { db: Db; caller: CallerIdentity; params: { uuid: number } }) =>
  readClient(db, caller, params.uuid);

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
    handle: async ({ db, caller, query, request }) => writePage(request, await listPracticeClients(db, caller, query), fromClient),
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
    handle: async ({ db, caller, body }) => ({
      data: fromClientWithSecret(await createPracticeClient(db, caller, config.PRACTICE_LIMITS.clients, toClientInput(body, accepts))),
    }),
  });

  get('/clients/:uuid', {
    operationId: 'getApplication',
    summary: 'Read an API client',
    params: clientParams,
    response: ClientResponse,
    etag: true,
    handle: ({ db, caller, params }) => readClient(db, caller, params.uuid),
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
    handle: async ({ db, caller, params, body }) => {
      await updatePracticeClient(db, caller, params.uuid, toClientChanges(body, accepts));
      return readClient(db, caller, params.uuid);
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
    handle: async ({ db, caller, params, body }) => ({
      data: fromClientWithSecret(await rotatePracticeClient(db, caller, params.uuid, body.overlap_hours)),
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
    handle: async ({ db, caller, params }) => {
      await setPracticeClientActive(db, caller, params.uuid, false);
      return readClient(db, caller, params.uuid);
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
    handle: async ({ db, caller, params }) => {
      await setPracticeClientActive(db, caller, params.uuid, true);
      return readClient(db, caller, params.uuid);
    },
  });

  remove('/clients/:uuid', {
    operationId: 'deleteApplication',
    stepUp: true,
    summary: 'Delete an API client from the practice',
    description: 'It can no longer act for the practice; its tokens are refused within a second. Records that it created stay.',
    params: clientParams,
    current: currentClient,
    handle: ({ db, caller, params }) => withdrawPracticeClient(db, caller, params.uuid),
  });
}

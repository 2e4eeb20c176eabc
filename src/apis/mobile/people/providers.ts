import {
  findProviderByIdentifier,
  findProviderWithOfficeNames,
  listActiveProviders,
} from '../../../domain/practices/providers/providers.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../shared.wire.ts';
import {
  fromProvider,
  identifierParams,
  ProviderList,
  ProviderResponse,
  providerParams,
  providersQuery,
  toProviderOrder,
} from './providers.wire.ts';

export function providerRoutes(endpoints: Endpoints): void {
  const { get } = endpoints.group({ tag: 'Providers' });
  get('/providers', {
    operationId: 'listProviders',
    summary: 'List providers',
    description: 'Clinicians who currently see patients.',
    query: providersQuery,
    response: ProviderList,
    handle: async ({ tx, query, request }) =>
      writePage(request, await listActiveProviders(tx, toProviderOrder(query), query), fromProvider),
  });

  get('/providers/npi/:npi', {
    operationId: 'getProviderByIdentifier',
    summary: 'Read a provider by National Provider Identifier',
    params: identifierParams,
    response: ProviderResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromProvider(await findProviderByIdentifier(tx, params.npi)) }),
  });

  get('/providers/:provider', {
    operationId: 'getProvider',
    summary: 'Read a provider',
    description: 'Includes former providers, to whom past appointments may refer.',
    params: providerParams,
    response: ProviderResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromProvider(await findProviderWithOfficeNames(tx, params.provider)) }),
  });
}

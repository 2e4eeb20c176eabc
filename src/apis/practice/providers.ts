import { z } from 'zod';
import { findProviderRecord, listProviderRecords, usualDepartment } from '../../domain/practices/providers/provider-record.ts';
import type { Endpoints } from '../../http/endpoints/declare-endpoints.ts';
import { pageLinkShapes, pageLinks } from './paging.ts';
import { fromListedProvider, fromProvider, ProviderShape, providerParams, providerQuery, providersQuery } from './providers.wire.ts';

export function providerRoutes(endpoints: Endpoints): void {
  const { get } = endpoints.group({ tag: 'Providers' });
  get('/providers', {
    operationId: 'listProviders',
    beyondDocument: true,
    summary: 'List providers',
    description: 'Active providers, or with `showdeletedproviders` all, sorted by last name, first name and id.',
    query: providersQuery,
    response: z.strictObject({
      totalcount: z.int().describe('Number of providers in the whole list'),
      ...pageLinkShapes,
      providers: z.array(ProviderShape).describe('The providers of this page'),
    }),
    handle: async ({ tx, query, request }) => {
      const filter = { name: query.name ?? null, typeId: query.providertype ?? null, withInactive: query.showdeletedproviders };
      const { items, total } = await listProviderRecords(tx, filter, query);
      const providers = items.map((provider) => fromListedProvider(provider, query));
      return { totalcount: total, ...pageLinks(request, query, total), providers };
    },
  });

  get('/providers/:providerId', {
    operationId: 'getProvider',
    summary: 'Read a provider',
    params: providerParams,
    query: providerQuery,
    response: z.array(ProviderShape),
    etag: true,
    handle: async ({ tx, params, query }) => {
      const provider = await findProviderRecord(tx, params.providerId);
      const threshold = query.showusualdepartmentguessthreshold;
      const usualDepartmentId = threshold === undefined ? null : await usualDepartment(tx, provider.id, threshold, new Date());
      const shown = {
        ids: query.showallproviderids,
        active: query.showdeletedproviders,
        details: query.showproviderdetails,
        federalId: query.showfederalidnumber ?? false,
        usualDepartmentId,
      };
      return [fromProvider(provider, shown)];
    },
  });
}

import { z } from 'zod';
import { findProviderRecord, usualDepartment } from '../../domain/practices/provider-record.ts';
import type { Endpoints } from '../../http/declare-endpoints.ts';
import { fromProvider, ProviderShape, providerParams, providerQuery } from './providers.wire.ts';

/** One provider. */
export function providerRoutes({ get }: Endpoints): void {
  get('/providers/:providerId', {
    operationId: 'getProvider',
    summary: 'Read a provider',
    tag: 'Providers',
    params: providerParams,
    query: providerQuery,
    response: z.array(ProviderShape),
    etag: true,
    handle: async ({ db, prepared, caller, params, query }) => {
      const provider = await findProviderRecord(db, caller, params.providerId);
      const threshold = query.showusualdepartmentguessthreshold;
      const usualDepartmentId =
        threshold === undefined ? null : await usualDepartment(prepared, caller, provider.id, threshold, new Date());
      const shown = { ids: query.showallproviderids, federalId: query.showfederalidnumber ?? false, usualDepartmentId };
      return [fromProvider(provider, shown)];
    },
  });
}

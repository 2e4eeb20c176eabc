import { z } from 'zod';
import { findChangedRecords } from '../../../domain/changes/changed-records.ts';
import { findProviderRecords } from '../../../domain/practices/providers/provider-record.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { fromListedProvider, ProviderShape } from '../providers.wire.ts';
import { changedListShape, changedProvidersQuery, fromChangedPage, toChangeQuery } from './changed.wire.ts';
import { CHANGED } from './words.ts';

export function changedProvidersRoutes({ getCreating }: Endpoints): void {
  getCreating('/providers/changed', {
    ...CHANGED,
    operationId: 'listChangedProviders',
    summary: 'List changed providers',
    query: changedProvidersQuery,
    response: z.strictObject({ ...changedListShape, providers: z.array(ProviderShape).describe('Current state of the providers') }),
    async handle({ db, caller, query, request }) {
      const asked = await toChangeQuery(query);
      const page = await findChangedRecords(db, caller, 'providers', asked);
      const records = await findProviderRecords(db, caller, page.recordIds);
      return {
        ...fromChangedPage(request, asked, page),
        providers: records.map((record) => fromListedProvider(record, query)),
      };
    },
  });
}

import { READINGS_SCOPE } from '../../../../domain/identity/clients/client-scopes.ts';
import { listItems } from '../../../../domain/monitoring/programs/items.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import { fromItem, ItemList, itemsQuery, toItemSort } from './items.wire.ts';

export function itemRoutes({ get }: Endpoints): void {
  get('/remote-patient-monitoring/items', {
    operationId: 'listMonitoringItems',
    summary: 'List measurable items',
    description: 'The catalogue of your organization, sorted by name by default. Discontinued items are not included.',
    tag: 'Remote patient monitoring',
    scope: READINGS_SCOPE,
    query: itemsQuery,
    response: ItemList,
    handle: async ({ tx, query, request }) => writePage(request, await listItems(tx, toItemSort(query), query), fromItem),
  });
}

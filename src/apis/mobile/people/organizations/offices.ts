import { findOfficeDetails, listActiveOffices } from '../../../../domain/practices/offices.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import { fromOffice, OfficeList, OfficeResponse, officeParams, officesQuery } from './offices.wire.ts';

export function officeRoutes(endpoints: Endpoints): void {
  const { get } = endpoints.group({ tag: 'Offices' });
  get('/office', {
    operationId: 'listOffices',
    summary: 'List offices',
    description: 'Open offices with their locations and waiting rooms, sorted by id.',
    query: officesQuery,
    response: OfficeList,
    handle: async ({ tx, query, request }) => writePage(request, await listActiveOffices(tx, query), fromOffice),
  });

  get('/office/:uuid', {
    operationId: 'getOffice',
    summary: 'Read an office',
    description: 'Includes closed offices, to which past appointments may refer.',
    params: officeParams,
    response: OfficeResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromOffice(await findOfficeDetails(tx, params.uuid)) }),
  });
}

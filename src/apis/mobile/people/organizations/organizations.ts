import { findOwnOrganization, listVisibleOrganizations } from '../../../../domain/practices/organizations.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import { fromOrganization, OrganizationList, OrganizationResponse, organizationParams, organizationsQuery } from './organizations.wire.ts';

export function organizationRoutes(endpoints: Endpoints): void {
  const { get } = endpoints.group({ tag: 'Organizations' });
  get('/organizations', {
    operationId: 'listOrganizations',
    summary: 'List your organizations',
    description: 'A signed-in user belongs to exactly one organization.',
    query: organizationsQuery,
    response: OrganizationList,
    handle: async ({ tx, query, request }) => writePage(request, await listVisibleOrganizations(tx, query), fromOrganization),
  });

  get('/organizations/:organization', {
    operationId: 'getOrganization',
    summary: 'Read an organization',
    params: organizationParams,
    response: OrganizationResponse,
    etag: true,
    handle: async ({ tx, params }) => ({
      data: fromOrganization(await findOwnOrganization(tx, params.organization)),
    }),
  });
}

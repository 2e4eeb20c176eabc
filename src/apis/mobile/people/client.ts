import { findCallingUser } from '../../../domain/practices/colleagues.ts';
import { findOrganization } from '../../../domain/practices/organizations.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { ClientResponse, fromClient } from './client.wire.ts';

export function clientRoutes({ get }: Endpoints): void {
  get('/client', {
    operationId: 'getClient',
    summary: 'Read your settings and those of your organization',
    tag: 'Authorization',
    response: ClientResponse,
    etag: true,
    handle: async ({ tx }) => {
      const [user, organization] = await Promise.all([findCallingUser(tx), findOrganization(tx.prisma, tx.organizationId)]);
      return { data: fromClient(user, organization) };
    },
  });
}

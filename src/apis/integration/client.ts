import { findActingUser } from '../../domain/users/users.ts';
import type { Endpoints } from '../../http/endpoints/declare-endpoints.ts';
import { CallingUser, fromActingUser } from './client.wire.ts';

export function clientRoutes({ get }: Endpoints): void {
  get('/client', {
    operationId: 'getClientUser',
    beyondDocument: true,
    summary: 'Read the calling user',
    description: 'Used by public clients of the API. The user is a person, or the interface user of an API client.',
    tag: 'Client',
    response: CallingUser,
    etag: true,
    handle: async ({ tx }) => fromActingUser(await findActingUser(tx)),
  });
}

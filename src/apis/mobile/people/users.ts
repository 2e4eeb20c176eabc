import { findCallingUser, findColleague, listColleagues } from '../../../domain/practices/colleagues.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../shared.wire.ts';
import { clientRoutes } from './client.ts';
import { fromUser, toColleagueSearch, UserList, UserResponse, userParams, userSearchQuery } from './users.wire.ts';

export function userRoutes(endpoints: Endpoints): void {
  const { get } = endpoints;
  clientRoutes(endpoints);

  get('/user', {
    operationId: 'getCurrentUser',
    summary: 'Read the signed-in user',
    tag: 'Authorization',
    response: UserResponse,
    etag: true,
    handle: async ({ tx }) => ({ data: fromUser(await findCallingUser(tx)) }),
  });

  get('/users', {
    operationId: 'listUsers',
    summary: 'List users',
    description:
      'Active users of the organization, sorted by id, without the interface users of API clients. Accepts the parameters of the search.',
    tag: 'Users',
    query: userSearchQuery,
    response: UserList,
    handle: async ({ tx, query, request }) => writePage(request, await listColleagues(tx, toColleagueSearch(query), query), fromUser),
  });

  get('/users/search', {
    operationId: 'searchUsers',
    summary: 'Search users by name or email',
    tag: 'Users',
    query: userSearchQuery,
    response: UserList,
    handle: async ({ tx, query, request }) => writePage(request, await listColleagues(tx, toColleagueSearch(query), query), fromUser),
  });

  get('/users/:uuid', {
    operationId: 'getUser',
    summary: 'Read a user',
    description: 'Includes former users, to whom past appointments may refer.',
    tag: 'Users',
    params: userParams,
    response: UserResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromUser(await findColleague(tx, params.uuid)) }),
  });
}

import { findRequest, searchRequests } from '../../../domain/identity/clients/client-requests.ts';
import { REQUESTS_SCOPE } from '../../../domain/identity/clients/client-scopes.ts';
import type { RequestLog } from '../../../domain/identity/clients/request-log.ts';
import { organizationZone } from '../../../domain/practices/organization-zone.ts';
import { readRange } from '../../../domain/values/time/date-range.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { fromRequest } from '../../../http/wire/client-requests.ts';
import { linkToOlder } from '../../../http/wire/links.ts';
import { RequestList, RequestResponse, requestParams, requestsQuery } from './requests.wire.ts';

export interface RequestDeps {
  requestLog: RequestLog;
}

/** The requests of API clients, for an integrator who looks why one failed. */
export function requestRoutes(endpoints: Endpoints, { requestLog }: RequestDeps): void {
  const { get } = endpoints.group({ tag: 'Requests', beyondDocument: true, scope: REQUESTS_SCOPE });
  get('/requests', {
    operationId: 'listClientRequests',
    summary: 'List requests of API clients',
    description:
      'The last seven days, newest first: operation, status, error code and field names, never values. Each API client sees its own requests without a further scope; an administrator sees those of all clients of the practice. All failures are listed, but at most ten successes per second and client. Requests for tokens, and requests without a valid token, are not listed.',
    query: requestsQuery,
    response: RequestList,
    handle: async ({ tx, query: { from, until, ...search }, request }) => {
      await requestLog.flush();
      const written = { min: from, max: until, fields: { min: 'from', max: 'until' } };
      const range = await readRange(written, () => organizationZone(tx));
      const { requests, next } = await searchRequests(tx, { ...search, range });
      return { data: requests.map(fromRequest), links: { next: linkToOlder(request, next) } };
    },
  });

  get('/requests/:request_id', {
    operationId: 'getClientRequest',
    summary: 'Read a request of an API client',
    description: 'Identified by the X-Request-Id of its response. If a client used an id for several requests, returns the newest one.',
    params: requestParams,
    response: RequestResponse,
    handle: async ({ tx, params }) => {
      await requestLog.flush();
      return { data: fromRequest(await findRequest(tx, params.request_id)) };
    },
  });
}

import type { UnitOfWork } from '../../../domain/unit-of-work/unit-of-work.ts';
import { closeChart, findChartToOpen, listOpenings, OPEN_MINUTES, openChart } from '../../../domain/users/chart-openings.ts';
import type { Authenticator } from '../../../http/auth/authenticate.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../../http/wire/envelopes.ts';
import {
  fromOpening,
  OpeningList,
  OpeningRequest,
  OpeningResponse,
  openingParams,
  openingsQuery,
  toNamedChart,
} from './break-glass.wire.ts';

export interface BreakGlassDeps {
  unitOfWork: UnitOfWork;
  authenticator: Authenticator;
}

export function breakGlassRoutes(endpoints: Endpoints, deps: BreakGlassDeps): void {
  const { get, post, remove } = endpoints.group({ tag: 'Break-glass', beyondDocument: true, notForApps: true });
  get('/break-glass', {
    operationId: 'listChartOpenings',
    summary: 'List emergency accesses to charts',
    description: 'Newest first: your own, or, for administrators and privacy officers, everybody’s.',
    roles: ['admin', 'provider', 'staff'],
    query: openingsQuery,
    response: OpeningList,
    handle: async ({ tx, query, request }) => writePage(request, await listOpenings(tx, query), fromOpening),
  });

  post('/break-glass', {
    operationId: 'createChartOpening',
    summary: 'Open a restricted chart in an emergency',
    stepUp: true,
    description: `For ${OPEN_MINUTES} minutes, you can read a restricted or blocked chart like any other. Privacy officers are notified immediately, and each access is audited. The response does not reveal whether the chart is restricted. A user has ten attempts an hour, including those that find nobody.`,
    roles: ['admin', 'provider'],
    body: OpeningRequest,
    response: OpeningResponse,
    status: 201,
    // In a transaction of its own, which keeps an attempt that finds nobody.
    lookup: ({ body, request }) =>
      deps.unitOfWork.write(request.caller, (tx) => findChartToOpen(tx, { chart: toNamedChart(body), reason: body.reason })),
    handle: async ({ tx, body, lookupResult }) => {
      const opening = await openChart(tx, lookupResult, body.reason);
      deps.authenticator.reread(tx);
      return { data: fromOpening(opening) };
    },
  });

  remove('/break-glass/:uuid', {
    operationId: 'deleteChartOpening',
    summary: 'End an emergency access before its time',
    params: openingParams,
    roles: ['admin', 'provider', 'staff'],
    handle: async ({ tx, params }) => {
      const { userId } = await closeChart(tx, params.uuid);
      deps.authenticator.reread({ ...tx.practice, userId });
    },
  });
}

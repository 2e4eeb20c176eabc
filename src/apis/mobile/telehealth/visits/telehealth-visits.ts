import { listVisits, readVisit } from '../../../../domain/telehealth/visits/visits.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  fromTelehealthVisit,
  fromVisit,
  fromWaitingRoomVisit,
  patientParams,
  TelehealthVisitList,
  TelehealthVisitResponse,
  toVisitListing,
  VisitList,
  visitParams,
  visitsQuery,
  WaitingRoomVisitList,
  WaitingRoomVisitResponse,
  waitingPatientParams,
  waitingVisitParams,
} from './telehealth-visits.wire.ts';

const ORDER = 'Sorted by start time, newest first by default.';

export function telehealthVisitRoutes(endpoints: Endpoints): void {
  const { get } = endpoints.group({ tag: 'Telehealth visits' });
  get('/telehealth-visits/:uuid', {
    operationId: 'getTelehealthVisit',
    summary: 'Read a video visit',
    params: visitParams,
    response: TelehealthVisitResponse,
    etag: true,
    handle: async ({ tx, params }) => ({
      data: fromTelehealthVisit(await readVisit(tx, 'telehealth', params.uuid)),
    }),
  });

  get('/patients/:uuid/telehealth-visits', {
    operationId: 'listTelehealthVisits',
    summary: 'List a patient’s video visits',
    description: ORDER,
    params: patientParams,
    query: visitsQuery,
    response: TelehealthVisitList,
    handle: async ({ tx, params, query, request }) => {
      const visits = await listVisits(tx, toVisitListing(params.uuid, 'telehealth', query), query);
      return writePage(request, visits, fromTelehealthVisit);
    },
  });

  get('/patients/:uuid/telehealth-and-waiting-room-visits', {
    operationId: 'listVisits',
    summary: 'List a patient’s video and waiting room visits',
    description: `${ORDER} Ids are unique within a kind: two visits of different kinds may have the same id.`,
    params: patientParams,
    query: visitsQuery,
    response: VisitList,
    handle: async ({ tx, params, query, request }) =>
      writePage(request, await listVisits(tx, toVisitListing(params.uuid, 'both', query), query), fromVisit),
  });

  get('/waiting-room-visits/:UUID', {
    operationId: 'getWaitingRoomVisit',
    summary: 'Read a waiting room visit',
    params: waitingVisitParams,
    response: WaitingRoomVisitResponse,
    etag: true,
    handle: async ({ tx, params }) => ({
      data: fromWaitingRoomVisit(await readVisit(tx, 'waiting_room', params.UUID)),
    }),
  });

  get('/patients/:UUID/waiting-room-visits', {
    operationId: 'listWaitingRoomVisits',
    summary: 'List a patient’s waiting room visits',
    description: ORDER,
    params: waitingPatientParams,
    query: visitsQuery,
    response: WaitingRoomVisitList,
    handle: async ({ tx, params, query, request }) => {
      const visits = await listVisits(tx, toVisitListing(params.UUID, 'waiting_room', query), query);
      return writePage(request, visits, fromWaitingRoomVisit);
    },
  });
}

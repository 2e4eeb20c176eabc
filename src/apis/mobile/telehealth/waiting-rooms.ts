import type { Keyring } from '../../../database/encryption/keyring.ts';
import { readFiveMinuteLink, setFiveMinuteLink } from '../../../domain/telehealth/invites/five-minute-link.ts';
import { inviteToWaitingRoom, withdrawWaitingRoomInvite } from '../../../domain/telehealth/invites/invites.ts';
import { readVisit } from '../../../domain/telehealth/visits/visits.ts';
import { listWaitingPatients } from '../../../domain/telehealth/waiting/waiting-patients.ts';
import { admitFromWaitingRoom } from '../../../domain/telehealth/waiting/waiting-room-visits.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { readOrigin } from '../../../http/wire/links.ts';
import { writePage } from '../shared.wire.ts';
import { fromInvite, InviteResponse } from './video-invites.wire.ts';
import { fromWaitingRoomVisit } from './visits/telehealth-visits.wire.ts';
import {
  AdmissionRequest,
  AdmissionResponse,
  admissionParams,
  FiveMinuteRequest,
  FiveMinuteResponse,
  fromAdmission,
  fromFiveMinute,
  fromWaitingPatient,
  toFiveMinute,
  WaitingList,
  WaitingRoomInviteRequest,
  waitingParams,
  waitingQuery,
  waitingRoomInviteKey,
  waitingRoomInviteParams,
} from './waiting-rooms.wire.ts';

export function waitingRoomRoutes(endpoints: Endpoints, { keyring }: { keyring: Keyring }): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'Waiting rooms' });

  const current = get('/waiting-rooms/5-minute-checkin', {
    operationId: 'getFiveMinuteCheckIn',
    summary: 'Read the five-minute reminder setting',
    response: FiveMinuteResponse,
    etag: true,
    handle: async ({ tx }) => ({ data: fromFiveMinute(await readFiveMinuteLink(tx)) }),
  });

  put('/waiting-rooms/5-minute-checkin', {
    operationId: 'setFiveMinuteCheckIn',
    summary: 'Set the five-minute reminder',
    description:
      'When enabled, the patient of each of your appointments with a waiting room or a video session is sent the session link once, five minutes before the start.',
    body: FiveMinuteRequest,
    response: FiveMinuteResponse,
    etag: true,
    current,
    handle: async ({ tx, body }) => ({ data: fromFiveMinute(await setFiveMinuteLink(tx, toFiveMinute(body))) }),
  });

  post('/waiting-rooms/:UUID/invite/:Patient__UUID', {
    operationId: 'inviteToWaitingRoom',
    summary: 'Invite a patient to a waiting room',
    description: 'Sends a text message or an email with a personal link that is valid for a day; `delivery` has the state of the message.',
    params: waitingRoomInviteParams,
    body: WaitingRoomInviteRequest,
    bodyOptional: true,
    response: InviteResponse,
    status: 201,
    handle: async ({ tx, params: { UUID: waitingRoomId, Patient__UUID: patientId }, body, request }) => {
      const channel = body.emailOrSms ?? undefined;
      const making = { keyring, origin: readOrigin(request) };
      return { data: fromInvite(await inviteToWaitingRoom(tx, { waitingRoomId, patientId, channel }, making)) };
    },
  });

  remove('/waiting-rooms/:UUID/invite/:Patient__UUID/:invite', {
    operationId: 'withdrawWaitingRoomInvite',
    beyondDocument: true,
    summary: 'Withdraw an invite to a waiting room',
    description: 'The link stops working, and a message that has not been sent yet is cancelled. A patient who is already waiting stays.',
    params: waitingRoomInviteKey,
    handle: ({ tx, params: { UUID: waitingRoomId, Patient__UUID: patientId, invite: id } }) =>
      withdrawWaitingRoomInvite(tx, { waitingRoomId, patientId, id }),
  });

  get('/waiting-rooms/:UUID/waiting', {
    operationId: 'listWaitingPatients',
    beyondDocument: true,
    summary: 'List the patients in a waiting room',
    description: 'Sorted by longest wait. A patient whose chart is restricted or blocked is not named.',
    params: waitingParams,
    query: waitingQuery,
    response: WaitingList,
    handle: async ({ tx, params, query, request }) =>
      writePage(request, await listWaitingPatients(tx, params.UUID, query), fromWaitingPatient),
  });

  post('/waiting-rooms/:UUID/admit/:visit', {
    operationId: 'admitFromWaitingRoom',
    beyondDocument: true,
    summary: 'Admit a patient from a waiting room',
    description:
      'Admits the patient into the session that you are in; otherwise into the open session of the appointment, or a new one. If the session has no host yet, the response has a host link. The patient’s waiting page continues automatically. A room assigned to one user can be hosted only by that user. While somebody else is in the visit, 409 `choose_visit` asks for `visit`.',
    params: admissionParams,
    body: AdmissionRequest,
    bodyOptional: true,
    response: AdmissionResponse,
    current: async ({ tx, params }) => ({
      data: fromWaitingRoomVisit(await readVisit(tx, 'waiting_room', params.visit)),
    }),
    handle: async ({ tx, params, body, request }) => {
      const guest = { waitingRoomId: params.UUID, visitId: params.visit, choice: body.visit };
      return { data: fromAdmission(await admitFromWaitingRoom(tx, guest), readOrigin(request)) };
    },
  });
}

import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { Caller } from '../../../domain/caller.ts';
import { preparedForIn } from '../../../domain/patients/restrictions/opened-charts.sql.ts';
import { inviteToSession, withdrawInvite } from '../../../domain/telehealth/invites/invites.ts';
import { attachPatient } from '../../../domain/telehealth/media/attach-patient.ts';
import { openHostLink, withdrawHostLinks } from '../../../domain/telehealth/sessions/host-links.ts';
import { readSession } from '../../../domain/telehealth/sessions/session-lists.ts';
import { findSession } from '../../../domain/telehealth/sessions/sessions.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { readOrigin } from '../../../http/wire/links.ts';
import { fromSession, SessionResponse } from './sessions/video-sessions.wire.ts';
import {
  fromHostLink,
  fromInvite,
  HostLinkResponse,
  InviteResponse,
  inviteParams,
  ParticipantUpdate,
  participantParams,
  SessionInviteRequest,
  sessionGuidParams,
  toSessionInvite,
} from './video-invites.wire.ts';

/** The session as its own address answers with it: its invites change its tag. */
const taggedSession = async (db: Db, caller: Caller, guid: string) => ({
  data: fromSession(await readSession(preparedForIn(db, caller), caller, guid)),
});

export function videoInviteRoutes(endpoints: Endpoints, { keyring }: { keyring: Keyring }): void {
  const { post, remove, put } = endpoints.group({ tag: 'Video sessions' });

  post('/video-session/:GUID/invite', {
    operationId: 'inviteToVideoSession',
    summary: 'Invite a person to a video session',
    description:
      'Sends a text message or an email with a personal link in the background; `delivery` has the state of the message. It goes to the patient’s own number or address unless another is given.',
    params: sessionGuidParams,
    body: SessionInviteRequest,
    response: InviteResponse,
    status: 201,
    current: ({ db, caller, params }) => taggedSession(db, caller, params.GUID),
    handle: async ({ db, caller, params, body, request }) => ({
      data: fromInvite(await inviteToSession(db, caller, params.GUID, toSessionInvite(body), { keyring, origin: readOrigin(request) })),
    }),
  });

  remove('/video-session/:GUID/invite/:invite', {
    operationId: 'withdrawVideoSessionInvite',
    beyondDocument: true,
    summary: 'Withdraw an invite',
    description: 'The link stops working, and a message that has not been sent yet is cancelled. A guest who is already in the room stays.',
    params: inviteParams,
    current: ({ db, caller, params }) => taggedSession(db, caller, params.GUID),
    handle: ({ db, caller, params }) => withdrawInvite(db, caller, params.GUID, params.invite),
  });

  post('/video-session/:GUID/host-link', {
    operationId: 'openVideoSessionHostLink',
    beyondDocument: true,
    summary: 'Open your own host link for a video session',
    description:
      'It opens the session under your own name, as its host or as a colleague of the host. Earlier links keep working. If a patient of the session has a restricted chart, only the host gets a link.',
    params: sessionGuidParams,
    response: HostLinkResponse,
    status: 201,
    handle: async ({ db, caller, params, request }) => ({
      data: fromHostLink(await openHostLink(db, caller, params.GUID), readOrigin(request)),
    }),
  });

  remove('/video-session/:GUID/host-link', {
    operationId: 'withdrawVideoSessionHostLinks',
    beyondDocument: true,
    summary: 'Withdraw your own host links of a video session',
    description: 'Use it for lost or leaked links. You stay in the room, and links of other hosts keep working.',
    params: sessionGuidParams,
    handle: ({ db, caller, params }) => withdrawHostLinks(db, caller, params.GUID),
  });

  put('/video-session/:GUID/participants/:participant', {
    operationId: 'updateVideoSessionParticipant',
    beyondDocument: true,
    summary: 'Update the patient of a guest in a video session',
    description:
      'For guests invited without a chart. The visit since the guest’s admission becomes the patient’s, as do the guest’s pictures and recordings without a patient. To correct a wrong choice, send another patient or null.',
    params: participantParams,
    body: ParticipantUpdate,
    response: SessionResponse,
    etag: true,
    current: ({ db, caller, params }) => taggedSession(db, caller, params.GUID),
    handle: async ({ db, caller, params, body }) => {
      const { id } = await findSession(db, caller, params.GUID);
      await attachPatient(db, caller, id, { person: params.participant, patientId: body.patient_uuid });
      return taggedSession(db, caller, params.GUID);
    },
  });
}

import type { Keyring } from '../../../database/encryption/keyring.ts';
import { inviteToSession, withdrawInvite } from '../../../domain/telehealth/invites/invites.ts';
import { attachPatient } from '../../../domain/telehealth/media/attach-patient.ts';
import { openHostLink, withdrawHostLinks } from '../../../domain/telehealth/sessions/host-links.ts';
import { readSession } from '../../../domain/telehealth/sessions/session-lists.ts';
import { findSession } from '../../../domain/telehealth/sessions/sessions.ts';
import type { Tx } from '../../../domain/tx.ts';
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
const taggedSession = async (tx: Tx, guid: string) => ({
  data: fromSession(await readSession(tx, guid)),
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
    current: ({ tx, params }) => taggedSession(tx, params.GUID),
    handle: async ({ tx, params, body, request }) => ({
      data: fromInvite(await inviteToSession(tx, params.GUID, toSessionInvite(body), { keyring, origin: readOrigin(request) })),
    }),
  });

  remove('/video-session/:GUID/invite/:invite', {
    operationId: 'withdrawVideoSessionInvite',
    beyondDocument: true,
    summary: 'Withdraw an invite',
    description: 'The link stops working, and a message that has not been sent yet is cancelled. A guest who is already in the room stays.',
    params: inviteParams,
    current: ({ tx, params }) => taggedSession(tx, params.GUID),
    handle: ({ tx, params }) => withdrawInvite(tx, params.GUID, params.invite),
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
    handle: async ({ tx, params, request }) => ({
      data: fromHostLink(await openHostLink(tx, params.GUID), readOrigin(request)),
    }),
  });

  remove('/video-session/:GUID/host-link', {
    operationId: 'withdrawVideoSessionHostLinks',
    beyondDocument: true,
    summary: 'Withdraw your own host links of a video session',
    description: 'Use it for lost or leaked links. You stay in the room, and links of other hosts keep working.',
    params: sessionGuidParams,
    handle: ({ tx, params }) => withdrawHostLinks(tx, params.GUID),
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
    current: ({ tx, params }) => taggedSession(tx, params.GUID),
    handle: async ({ tx, params, body }) => {
      const { id } = await findSession(tx, params.GUID);
      await attachPatient(tx, id, { person: params.participant, patientId: body.patient_uuid });
      return taggedSession(tx, params.GUID);
    },
  });
}

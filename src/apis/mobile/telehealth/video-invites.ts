import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/keyring.ts';
import { preparedIn } from '../../../database/statement.ts';
import type { Caller } from '../../../domain/caller.ts';
import { openHostLink, withdrawHostLinks } from '../../../domain/telehealth/host-links.ts';
import { inviteToSession, withdrawInvite } from '../../../domain/telehealth/invites.ts';
import { readSession } from '../../../domain/telehealth/session-lists.ts';
import type { Endpoints } from '../../../http/declare-endpoints.ts';
import { originOf } from '../../../http/links.ts';
import { NoContent } from '../shared.wire.ts';
import {
  fromHostLink,
  fromInvite,
  HostLinkResponse,
  InviteResponse,
  inviteParams,
  SessionInviteRequest,
  sessionGuidParams,
  toSessionInvite,
} from './video-invites.wire.ts';
import { fromSession } from './video-sessions.wire.ts';

/** The session as its own address answers with it: its invites change its tag. */
const taggedSession = async (db: Db, caller: Caller, guid: string) => ({
  data: fromSession(await readSession(preparedIn(db), caller, guid)),
});

/** Invites to video sessions, and host links. */
export function videoInviteRoutes(endpoints: Endpoints, { keyring }: { keyring: Keyring }): void {
  const { post } = endpoints;

  post('/video-session/:GUID/invite', {
    operationId: 'inviteToVideoSession',
    summary: 'Invite a person to a video session',
    description:
      'Sends a text message or an email with a personal link in the background; `delivery` has the state of the message. It goes to the patient’s own number or address unless another is given.',
    tag: 'Video sessions',
    params: sessionGuidParams,
    body: SessionInviteRequest,
    response: InviteResponse,
    status: 201,
    current: ({ db, caller, params }) => taggedSession(db, caller, params.GUID),
    handle: async ({ db, caller, params, body, request }) => ({
      data: fromInvite(await inviteToSession(db, caller, params.GUID, toSessionInvite(body), { keyring, origin: originOf(request) })),
    }),
  });

  endpoints.delete('/video-session/:GUID/invite/:invite', {
    operationId: 'withdrawVideoSessionInvite',
    summary: 'Withdraw an invite',
    description:
      'Not in the source document. The link stops working, and a message that has not been sent yet is cancelled. A guest who is already in the room stays.',
    tag: 'Video sessions',
    params: inviteParams,
    response: NoContent,
    status: 204,
    current: ({ db, caller, params }) => taggedSession(db, caller, params.GUID),
    handle: async ({ db, caller, params }) => {
      await withdrawInvite(db, caller, params.GUID, params.invite);
      return null;
    },
  });

  post('/video-session/:GUID/host-link', {
    operationId: 'openVideoSessionHostLink',
    summary: 'Open a link of your own as a host of a video session',
    description:
      'Not in the source document. It opens the session under your own name: as its host, or for the host as a colleague. Links that were made before go on working. Where a patient of the session has a restricted chart, only its host gets one.',
    tag: 'Video sessions',
    params: sessionGuidParams,
    response: HostLinkResponse,
    status: 201,
    handle: async ({ db, caller, params, request }) => ({
      data: fromHostLink(await openHostLink(db, caller, params.GUID), originOf(request)),
    }),
  });

  endpoints.delete('/video-session/:GUID/host-link', {
    operationId: 'withdrawVideoSessionHostLinks',
    summary: 'Withdraw your own host links of a video session',
    description:
      'Not in the source document. For links that were lost or passed on. You stay in the room, and links of other hosts go on working.',
    tag: 'Video sessions',
    params: sessionGuidParams,
    response: NoContent,
    status: 204,
    handle: async ({ db, caller, params }) => {
      await withdrawHostLinks(db, caller, params.GUID);
      return null;
    },
  });
}

import { openMeeting } from '../../../domain/telehealth/sessions.ts';
import type { Endpoints } from '../../../http/declare-endpoints.ts';
import { originOf } from '../../../http/links.ts';
import { fromMeeting, MeetSessionResponse } from './meet-session.wire.ts';

/** Video sessions that are opened now. */
export function meetSessionRoutes({ getCreating }: Endpoints): void {
  getCreating('/meet-session', {
    operationId: 'openMeetSession',
    summary: 'Open a new video session',
    description:
      'Each call opens one. Its links stand in this answer only: the host’s link leads the session, the guest’s link asks to be let in.',
    tag: 'Video sessions',
    response: MeetSessionResponse,
    handle: async ({ db, caller, request }) => ({ data: fromMeeting(await openMeeting(db, caller), originOf(request)) }),
  });
}

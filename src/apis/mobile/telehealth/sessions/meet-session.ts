import { openMeeting } from '../../../../domain/telehealth/sessions/sessions.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { readOrigin } from '../../../../http/wire/links.ts';
import { fromMeeting, MeetSessionResponse } from './meet-session.wire.ts';

/** Opens a video session without an appointment. */
export function meetSessionRoutes({ get }: Endpoints): void {
  get('/meet-session', {
    creates: true,
    operationId: 'openMeetSession',
    summary: 'Open a new video session',
    description:
      'Each call opens a new session. The links are returned in this response only: one for the host, the other for guests, whom the host admits.',
    tag: 'Video sessions',
    response: MeetSessionResponse,
    handle: async ({ tx, request }) => ({ data: fromMeeting(await openMeeting(tx), readOrigin(request)) }),
  });
}

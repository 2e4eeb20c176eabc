import { listSessions, readSession } from '../../../../domain/telehealth/sessions/session-lists.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import { telehealthReportRoutes } from '../visits/telehealth-reports.ts';
import { sessionChatRoutes } from './video-session-chat.ts';
import { sessionImageRoutes, sessionVideoRoutes } from './video-session-media.ts';
import {
  fromSession,
  SessionList,
  SessionResponse,
  sessionParams,
  sessionSearchQuery,
  sessionsQuery,
  telehealthSessionsQuery,
  toSessionFilter,
  toSessionSort,
} from './video-sessions.wire.ts';

/**
 * Lists and reads video sessions, their pictures and recordings, and reports. No endpoint here creates a session: GET
 * /meet-session does (meet-session.ts), the job that sends the links of appointments (five-minute-check-in.ts), and the
 * admission of a patient from a waiting room (waiting-room-visits.ts in the domain).
 */
export function videoSessionRoutes(endpoints: Endpoints): void {
  const { get } = endpoints.group({ tag: 'Video sessions' });

  get('/video-session', {
    operationId: 'listVideoSessions',
    summary: 'List video sessions',
    description: 'Telehealth sessions and meetings, newest first.',
    query: sessionsQuery,
    response: SessionList,
    handle: async ({ tx, query, request }) => writePage(request, await listSessions(tx, {}, query), fromSession),
  });

  get('/video-session/search', {
    operationId: 'searchVideoSessions',
    summary: 'Search video sessions',
    description: 'Sorted newest first. The dates refer to when the session took place, or, if nobody joined, was opened.',
    query: sessionSearchQuery,
    response: SessionList,
    handle: async ({ tx, query, request }) => writePage(request, await listSessions(tx, toSessionFilter(query), query), fromSession),
  });

  get('/video-session/telehealth-sessions', {
    operationId: 'listTelehealthSessions',
    summary: 'List telehealth video sessions',
    description: 'Sessions for patients, and sessions opened by GET /meet-session that a patient attended. Empty dates sort last.',
    query: telehealthSessionsQuery,
    response: SessionList,
    handle: async ({ tx, query, request }) =>
      writePage(request, await listSessions(tx, { ofPatients: true }, query, toSessionSort(query)), fromSession),
  });

  telehealthReportRoutes(endpoints);

  get('/video-session/:uuid', {
    operationId: 'getVideoSession',
    summary: 'Read a video session',
    description: 'Identified by id or GUID.',
    params: sessionParams,
    response: SessionResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromSession(await readSession(tx, params.uuid)) }),
  });

  sessionChatRoutes(endpoints);
  sessionImageRoutes(endpoints);
  sessionVideoRoutes(endpoints);
}

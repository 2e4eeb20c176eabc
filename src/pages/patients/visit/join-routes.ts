import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { unavailable } from '../../../domain/errors.ts';
import { type JoinedSession, joinSession, toJoinedKind } from '../../../domain/telehealth/sessions/join-session.ts';
import { ROOM_TOKEN_SECONDS, type RoomMember, readResumeToken, signRoomToken } from '../../../domain/telehealth/sessions/room-tokens.ts';
import {
  type ClosedReason,
  findLinkedSession,
  findLinkedWaitingRoom,
  type LinkedSession,
  languagesOfVisit,
} from '../../../domain/telehealth/sessions/session-links.ts';
import { findCapacity } from '../../../domain/telehealth/sessions/sessions.ts';
import { readVisitDetails, type VisitDetails } from '../../../domain/telehealth/visits/visit-details.ts';
import { enterWaitingRoom, type WaitingRoomVisit } from '../../../domain/telehealth/waiting/waiting-room-visits.ts';
import type { Language } from '../../../domain/values/languages.ts';
import { greetingName } from '../../../domain/values/person-names.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import type { RoomParticipant, RoomTicket } from '../../../gateways/video/video-rooms.ts';
import { readInput } from '../../../http/input/input.ts';
import { pageLanguage } from '../../../http/pages/page-language.ts';
import { SIGNAL_PATH } from '../../../http/requests/requests.ts';
import { text } from '../../../http/wire/wire-types.ts';
import { issueEntryToken, issueWaitingResume } from '../../../realtime/entry-token.ts';
import { iceServers } from '../../../realtime/ice.ts';
import { writeAppointment } from '../../../realtime/messages/room-messages.ts';
import type { RealtimeDeps } from '../../../realtime/realtime-deps.ts';
import { unknownLink } from '../../failures/failure-pages.ts';
import { asksForCode } from '../../links/locked-links.ts';
import { requireVisitor } from '../../links/visitor.ts';
import { closedMessage } from './closed-visit.ts';

const linkParams = z.object({ token: z.string() });
const JoinRequest = z.object({
  name: text(80)
    .transform((written) => written || undefined)
    .nullish(),
  resume: z.string().max(2_000).nullish(),
});

/** Join requests of visit pages and waiting rooms. docs/telehealth-protocol.md describes the responses. */
export function joinRoutes(app: FastifyInstance, deps: RealtimeDeps): void {
  app.post('/v/:token/join', { preHandler: asksForCode(deps, 'v', { script: true }) }, async (request, reply) => {
    const visitor = requireVisitor(request, readInput(linkParams, request.params).token, 'video_session');
    const { name, resume } = readInput(JoinRequest, request.body ?? {});
    const member = resume ? readResumeToken(deps.keyring, resume)?.member : null;
    const resumed = member?.kind === 'participant' ? member : null;
    const joined = await deps.unitOfWork.write(visitor, async (tx) => {
      const linked = await findLinkedSession(tx, visitor.link);
      if (!linked) throw unknownLink();
      const language = pageLanguage(request, languagesOfVisit(linked));
      if (linked.closed) return { closed: linked.closed, language };
      const way = deps.gateways.videoRooms.mode;
      const answer = await joinSession(tx, linked, { name: name ?? undefined, provider: way, resumed });
      const { practice } = linked;
      const details = await readVisitDetails(tx, practice, toMeeting(linked));
      return { ...answer, language, practice: practice.name, details };
    });
    return joined.closed ? sendClosed(reply, joined.closed, joined.language) : sessionResponse(deps, joined);
  });

  app.post('/w/:token/join', { preHandler: asksForCode(deps, 'w', { script: true }) }, async (request, reply) => {
    const visitor = requireVisitor(request, readInput(linkParams, request.params).token, 'waiting_room');
    const { resume } = readInput(JoinRequest, request.body ?? {});
    const resumed = resume ? readResumeToken(deps.keyring, resume) : null;
    const joined = await deps.unitOfWork.write(visitor, async (tx) => {
      const linked = await findLinkedWaitingRoom(tx, visitor.link);
      if (!linked) throw unknownLink();
      const language = pageLanguage(request, languagesOfVisit(linked));
      if (linked.closed) return { closed: linked.closed, language };
      const { practice, patient, waitingRoom, invite } = linked;
      const details = await readVisitDetails(tx, practice, { hostUserId: waitingRoom.userId, appointmentId: invite.appointmentId });
      return {
        ...(await enterWaitingRoom(tx, linked, resumed)),
        practice: practice.name,
        language,
        details,
        name: greetingName(patient) ?? '',
      };
    });
    if (joined.closed) return sendClosed(reply, joined.closed, joined.language);
    return joined.state === 'admitted' ? sessionResponse(deps, joined) : waitingResponse(deps, joined);
  });
}

/** The visit, as the response to any join tells of it. */
interface JoinedVisit {
  practice: string;
  details: VisitDetails;
  /** Of the page. */
  language: Language;
}

interface JoinedWaitingRoom extends JoinedVisit {
  visit: WaitingRoomVisit;
  name: string;
}

const waitingResponse = ({ keyring }: RealtimeDeps, { visit, practice, name, ...joined }: JoinedWaitingRoom) => {
  const { organizationId, waitingRoomId, id, enteredAt, entries } = visit;
  const member: RoomMember = { kind: 'visit', organizationId, waitingRoomId, id };
  return {
    state: 'waiting',
    kind: 'waiting_room',
    you: { id, role: 'guest', kind: 'patient', name },
    practice,
    ...writeDetails(joined),
    locked: false,
    since: writeInstant(enteredAt),
    session: null,
    ...issueEntryToken(keyring, member, entries),
    resume: issueWaitingResume(keyring, member, entries),
    signal: SIGNAL_PATH,
    way: null,
    ice_servers: [],
  };
};

/** The response to a participant who joined a session. @throws Failure unavailable where the session's provider is no longer configured */
async function sessionResponse(
  { config, keyring, gateways }: RealtimeDeps,
  { session, participant, practice, ...joined }: JoinedSession & JoinedVisit,
) {
  const { id, displayName, admittedAt, waitingSince, entries } = participant;
  const role = participant.role === 'host' ? 'host' : 'guest';
  const name = displayName ?? '';
  const member: RoomMember = { kind: 'participant', organizationId: session.organizationId, sessionId: session.id, id, role };
  const livekit =
    admittedAt !== null && session.provider === 'livekit' ? await issueRoomTicket(gateways, session, { id, name, role }) : null;
  return {
    state: admittedAt === null ? 'waiting' : 'admitted',
    kind: 'session',
    you: { id, role, kind: toJoinedKind(participant), name },
    practice,
    ...writeDetails(joined),
    locked: session.lockedAt !== null,
    since: writeInstant(waitingSince),
    session: { guid: session.guid, expires_at: writeInstant(session.expiresAt), capacity: findCapacity(session) },
    ...issueEntryToken(keyring, member, entries),
    resume: signRoomToken(keyring, 'resume', member, Math.ceil(session.expiresAt.getTime() / 1000)),
    signal: SIGNAL_PATH,
    way: session.provider,
    ice_servers: session.provider === 'mesh' ? iceServers(config, id) : [],
    ...(livekit ? { livekit } : {}),
  };
}

const writeDetails = ({ details: { host, appointment, phone }, language }: Omit<JoinedVisit, 'practice'>) => ({
  host,
  appointment: appointment && writeAppointment(appointment, language),
  phone,
});

/** The host of a session, and the appointment that it is for. */
const toMeeting = ({ session, invite }: LinkedSession) => ({
  hostUserId: session.hostUserId,
  appointmentId: invite?.appointmentId ?? session.appointmentId,
});

/**
 * A session keeps the provider that it began with while people are in it, even if the configuration has changed. Each visit has a
 * room of its own, so that nobody who stays in the room of one hears the next; hosts who come
 * before the first guest wait in that of the first.
 */
async function issueRoomTicket(
  { videoRooms }: RealtimeDeps['gateways'],
  { guid, visit }: JoinedSession['session'],
  person: Pick<RoomParticipant, 'id' | 'name' | 'role'>,
): Promise<RoomTicket> {
  const ticket = await videoRooms.createTicket({ ...person, room: `${guid}.${Math.max(visit, 1)}`, seconds: ROOM_TOKEN_SECONDS });
  if (!ticket) throw unavailable('This visit cannot continue here. Try again in a minute.');
  return ticket;
}

function sendClosed(reply: FastifyReply, code: ClosedReason, language: Language): FastifyReply {
  return reply.code(410).send({ error: { code, message: closedMessage(code, language) } });
}

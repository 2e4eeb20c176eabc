import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Keyring } from '../database/keyring.ts';
import { unavailable } from '../domain/errors.ts';
import { type JoinedSession, joinSession } from '../domain/telehealth/join-session.ts';
import { ROOM_TOKEN_SECONDS, type RoomMember, readRoomToken, signRoomToken } from '../domain/telehealth/room-tokens.ts';
import { type ClosedReason, findLinkedSession, findLinkedWaitingRoom } from '../domain/telehealth/session-links.ts';
import { capacityOf } from '../domain/telehealth/sessions.ts';
import { enterWaitingRoom } from '../domain/telehealth/waiting-room-visits.ts';
import { writeInstant } from '../domain/values/time.ts';
import type { RoomParticipant, RoomTicket } from '../gateways/video-rooms.ts';
import { readInput } from '../http/input.ts';
import { SIGNAL_PATH } from '../http/requests.ts';
import { text } from '../http/wire-types.ts';
import { unknownLink } from '../pages/failure-pages.ts';
import { CLOSED_MESSAGES } from '../pages/visit/closed-visit.ts';
import { visitorOf } from '../pages/visitor.ts';
import { iceServers } from './ice.ts';
import type { RoomDeps } from './index.ts';

const linkParams = z.object({ token: z.string() });
const JoinRequest = z.object({
  name: text(80)
    .transform((written) => written.trim().replaceAll(/\s+/g, ' ') || undefined)
    .nullish(),
  resume: z.string().max(2_000).nullish(),
});

/** How pages join. docs/telehealth.md has the answers. */
export function joinRoutes(app: FastifyInstance, deps: RoomDeps): void {
  app.post('/v/:token/join', { schema: { hide: true } }, async (request, reply) => {
    const visitor = visitorOf(request, readInput(linkParams, request.params).token, 'video_session');
    const { name, resume } = readInput(JoinRequest, request.body ?? {});
    const said = typeof resume === 'string' ? readRoomToken(deps.keyring, 'resume', resume) : null;
    const resumed = said?.kind === 'participant' ? said : null;
    const joined = await deps.unitOfWork.write(visitor, async (db, caller) => {
      const door = await findLinkedSession(db, caller, visitor.link);
      if (!door) throw unknownLink();
      if (door.closed) return { closed: door.closed };
      return {
        ...(await joinSession(db, caller, door, { name: name ?? undefined, provider: deps.gateways.videoRooms.mode, resumed })),
        practice: door.practice,
      };
    });
    return 'closed' in joined ? answerClosed(reply, joined.closed) : inSession(deps, joined);
  });

  app.post('/w/:token/join', { schema: { hide: true } }, async (request, reply) => {
    const visitor = visitorOf(request, readInput(linkParams, request.params).token, 'waiting_room');
    const joined = await deps.unitOfWork.write(visitor, async (db, caller) => {
      const door = await findLinkedWaitingRoom(db, caller, visitor.link);
      if (!door) throw unknownLink();
      if (door.closed) return { state: door.closed };
      return { ...(await enterWaitingRoom(db, caller, door)), practice: door.practice, name: door.patient.firstName ?? '' };
    });
    if (!('practice' in joined)) return answerClosed(reply, joined.state);
    const { practice, name } = joined;
    if (joined.state === 'admitted') return inSession(deps, { ...joined, practice });
    if (joined.state !== 'waiting') return answerClosed(reply, joined.state);
    const { organizationId, waitingRoomId, id, enteredAt } = joined.visit;
    return {
      ...{
        state: 'waiting',
        kind: 'waiting_room',
        you: { id, role: 'guest', name },
        practice,
        since: writeInstant(enteredAt),
        session: null,
      },
      ...entryFor(deps.keyring, { kind: 'visit', organizationId, waitingRoomId, id }),
      ...{ resume: null, signal: SIGNAL_PATH, way: null, ice_servers: [] },
    };
  });
}

/** What a page is told of the session that it joins. @throws Failure unavailable where its way is no longer served */
async function inSession(
  { config, keyring, gateways }: RoomDeps,
  { session, participant, practice }: JoinedSession & { practice: string },
) {
  const { id, displayName, admittedAt, waitingSince } = participant;
  const role = participant.role === 'host' ? 'host' : 'guest';
  const member: RoomMember = { kind: 'participant', organizationId: session.organizationId, sessionId: session.id, id, role };
  const livekit =
    admittedAt !== null && session.provider === 'livekit'
      ? await ticketFor(gateways, session, { id, name: displayName ?? '', role })
      : null;
  return {
    ...{ state: admittedAt === null ? 'waiting' : 'admitted', kind: 'session', you: { id, role, name: displayName ?? '' }, practice },
    since: writeInstant(waitingSince),
    session: { guid: session.guid, expires_at: writeInstant(session.expiresAt), capacity: capacityOf(session) },
    ...entryFor(keyring, member),
    resume: signRoomToken(keyring, 'resume', member, Math.ceil(session.expiresAt.getTime() / 1000)),
    ...{ signal: SIGNAL_PATH, way: session.provider, ice_servers: session.provider === 'mesh' ? iceServers(config, id) : [] },
    ...(livekit ? { livekit } : {}),
  };
}

/** While people are in a room it goes on as it began, whatever the configuration says meanwhile. */
async function ticketFor(
  { videoRooms }: RoomDeps['gateways'],
  { guid }: JoinedSession['session'],
  person: Pick<RoomParticipant, 'id' | 'name' | 'role'>,
): Promise<RoomTicket> {
  const ticket = await videoRooms.createTicket({ ...person, room: guid, seconds: ROOM_TOKEN_SECONDS });
  if (!ticket) throw unavailable('This visit cannot go on here. Try again in a minute.');
  return ticket;
}

/** A room token, and until when it is good. */
export function entryFor(keyring: Keyring, member: RoomMember): { token: string; token_expires_at: string } {
  const until = Math.floor(Date.now() / 1000) + ROOM_TOKEN_SECONDS;
  return { token: signRoomToken(keyring, 'enter', member, until), token_expires_at: writeInstant(new Date(until * 1000)) };
}

function answerClosed(reply: FastifyReply, code: ClosedReason): FastifyReply {
  return reply.code(410).send({ error: { code, message: CLOSED_MESSAGES[code] } });
}

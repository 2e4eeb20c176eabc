import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { findLinkedWaitingRoom } from '../../domain/telehealth/session-links.ts';
import { readInput } from '../../http/input.ts';
import { scriptPolicy } from '../content-security-policy.ts';
import { unknownLink } from '../failure-pages.ts';
import type { PageDeps } from '../page-deps.ts';
import { visitorOf } from '../visitor.ts';
import { closedVisitPage } from './closed-visit.ts';
import { visitPage } from './view.ts';

const linkParams = z.object({ token: z.string() });

/** The page of a waiting room, for one invited patient. */
export function waitingRoomPage(app: FastifyInstance, { unitOfWork, gateways }: PageDeps): void {
  const policy = scriptPolicy(gateways.videoRooms.origins);
  app.get('/w/:token', { schema: { hide: true } }, async (request, reply) => {
    const visitor = visitorOf(request, readInput(linkParams, request.params).token, 'waiting_room');
    const door = await unitOfWork.read(visitor, (db, caller) => findLinkedWaitingRoom(db, caller, visitor.link));
    if (!door) throw unknownLink();
    reply.type('text/html; charset=utf-8');
    if (door.closed) return reply.code(410).send(closedVisitPage(door.closed, door.practice));
    reply.header('content-security-policy', policy);
    return visitPage({ practice: door.practice, role: 'guest', asksForName: false, isWaitingRoom: true });
  });
}

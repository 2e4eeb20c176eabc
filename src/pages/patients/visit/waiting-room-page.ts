import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { findLinkedWaitingRoom, languagesOfVisit } from '../../../domain/telehealth/sessions/session-links.ts';
import { readInput } from '../../../http/input/input.ts';
import { pageLanguage } from '../../../http/pages/page-language.ts';
import { scriptPolicy } from '../../content-security-policy.ts';
import { unknownLink } from '../../failures/failure-pages.ts';
import { asksForCode } from '../../links/locked-links.ts';
import { visitorOf } from '../../links/visitor.ts';
import type { PageDeps } from '../../page-deps.ts';
import { closedVisitPage } from './closed-visit.ts';
import { visitPage } from './view.ts';

const linkParams = z.object({ token: z.string() });

/** The page of a waiting room, for one invited patient. */
export function waitingRoomPage(app: FastifyInstance, { unitOfWork, gateways, keyring }: PageDeps): void {
  const policy = scriptPolicy(gateways.videoRooms.origins);
  const options = { schema: { hide: true }, preHandler: asksForCode({ unitOfWork, keyring }, 'w') };
  app.get('/w/:token', options, async (request, reply) => {
    const { token } = readInput(linkParams, request.params);
    const visitor = visitorOf(request, token, 'waiting_room');
    const door = await unitOfWork.read(visitor, (db, caller) => findLinkedWaitingRoom(db, caller, visitor.link));
    if (!door) throw unknownLink();
    reply.type('text/html; charset=utf-8');
    const { practice, closed: why } = door;
    const page = { practice, address: `/w/${token}`, language: pageLanguage(request, languagesOfVisit(door)) };
    if (why) return reply.code(410).send(closedVisitPage({ ...page, why }));
    reply.header('content-security-policy', policy);
    return visitPage({ ...page, role: 'guest', asksForName: false, isWaitingRoom: true });
  });
}

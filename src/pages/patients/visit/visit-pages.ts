import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  findLinkedSession,
  findLinkedWaitingRoom,
  type LinkedSession,
  type LinkedWaitingRoom,
  languagesOfVisit,
} from '../../../domain/telehealth/sessions/session-links.ts';
import { fullName } from '../../../domain/values/person-names.ts';
import { readInput } from '../../../http/input/input.ts';
import { pageLanguage } from '../../../http/pages/page-language.ts';
import { scriptPolicy } from '../../content-security-policy.ts';
import { unknownLink } from '../../failures/failure-pages.ts';
import { asksForCode } from '../../links/locked-links.ts';
import { requireVisitor } from '../../links/visitor.ts';
import type { PageDeps } from '../../page-deps.ts';
import { closedVisitPage } from './closed-visit.ts';
import { type VisitView, visitPage } from './view.ts';

const linkParams = z.object({ token: z.string() });

/** The pages of a video session, for hosts and guests, and of a waiting room, for one invited patient. */
export function visitPages(app: FastifyInstance, { unitOfWork, gateways, keyring }: PageDeps): void {
  const policy = scriptPolicy(gateways.videoRooms.origins);
  const options = (page: 'v' | 'w') => ({ preHandler: asksForCode({ unitOfWork, keyring }, page) });

  app.get('/v/:token', options('v'), async (request, reply) => {
    const { token } = readInput(linkParams, request.params);
    const visitor = requireVisitor(request, token, 'video_session');
    const door = await unitOfWork.read(visitor, (tx) => findLinkedSession(tx, visitor.link));
    if (!door) throw unknownLink();
    return show(request, reply, door, {
      address: `/v/${token}`,
      role: door.role,
      asksForName: door.role === 'guest' && !door.invite?.patient,
    });
  });
  app.get('/w/:token', options('w'), async (request, reply) => {
    const { token } = readInput(linkParams, request.params);
    const visitor = requireVisitor(request, token, 'waiting_room');
    const door = await unitOfWork.read(visitor, (tx) => findLinkedWaitingRoom(tx, visitor.link));
    if (!door) throw unknownLink();
    return show(request, reply, door, { address: `/w/${token}`, role: 'guest', asksForName: false, isWaitingRoom: true });
  });

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    door: LinkedSession | LinkedWaitingRoom,
    view: Omit<VisitView, 'practice' | 'language'>,
  ) {
    reply.type('text/html; charset=utf-8');
    const { closed: why } = door;
    // A host reads their own name in the place of the telephone number for patients.
    const reader = 'user' in door && door.user ? { reader: fullName(door.user) ?? '' } : {};
    const practice = { ...door.practice, ...reader };
    const page = { ...view, practice, language: pageLanguage(request, languagesOfVisit(door)) };
    if (why) return reply.code(410).send(closedVisitPage({ ...page, why }));
    reply.header('content-security-policy', policy);
    return visitPage(page);
  }
}

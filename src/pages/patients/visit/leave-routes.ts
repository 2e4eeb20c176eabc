import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { leaveClosedPage, readClosedPage } from '../../../domain/telehealth/presence/presence.ts';
import type { RoomMember } from '../../../domain/telehealth/sessions/room-tokens.ts';
import { leaveClosedWaitingPage, readClosedWaitingPage } from '../../../domain/telehealth/waiting/waiting-room-presence.ts';
import { readInput } from '../../../http/input/input.ts';
import type { RealtimeDeps } from '../../../realtime/realtime-deps.ts';
import { badRoomToken, findLinkMember } from '../../links/link-member.ts';
import { requireVisitor, type Visitor } from '../../links/visitor.ts';

/** Milliseconds after which a person whose page was closed has left, unless they entered again: a reload takes less. */
const RETURN_WITHIN_MS = 3_000;

const linkParams = z.object({ token: z.string() });
const LeaveRequest = z.object({ token: z.string().max(2_000) });

const DOORS = [
  ['/v/:token/leave', 'video_session'],
  ['/w/:token/leave', 'waiting_room'],
] as const;

/** The notices of pages that are being closed, which browsers send as plain text (navigator.sendBeacon). */
export async function leaveRoutes(app: FastifyInstance, deps: RealtimeDeps): Promise<void> {
  const timers = new Set<NodeJS.Timeout>();
  app.addHook('onClose', async () => {
    for (const timer of timers) clearTimeout(timer);
  });
  app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) => done(null, body));

  // A patient of a waiting room who was admitted is in a session, with a token of that.
  for (const [path, kind] of DOORS)
    app.post(path, async (request, reply) => {
      const { visitor, member } = await readMember(request, deps, kind);
      const { unitOfWork } = deps;
      if (member.kind === 'participant') {
        const page = await unitOfWork.read(visitor, (tx) => readClosedPage(tx, member));
        leaveLater(request, () => unitOfWork.write(visitor, (tx) => leaveClosedPage(tx, member, page)));
      } else {
        const page = await unitOfWork.read(visitor, (tx) => readClosedWaitingPage(tx, member));
        leaveLater(request, () => unitOfWork.write(visitor, (tx) => leaveClosedWaitingPage(tx, member, page)));
      }
      return reply.code(204).send();
    });

  /** Where it fails, or the server stops before, the missing heartbeats tell that the person is gone. */
  function leaveLater(request: FastifyRequest, leave: () => Promise<void>): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      leave().catch((err: unknown) => request.log.warn({ err }, 'a closed page of a room cannot be recorded'));
    }, RETURN_WITHIN_MS);
    timers.add(timer.unref());
  }
}

/** @throws Failure as findLinkMember; unauthenticated also for a token of another link */
async function readMember(request: FastifyRequest, deps: RealtimeDeps, kind: string): Promise<{ visitor: Visitor; member: RoomMember }> {
  const visitor = requireVisitor(request, readInput(linkParams, request.params).token, kind);
  const member = await findLinkMember(deps, visitor, readInput(LeaveRequest, parseBody(request.body)).token);
  if (member === null) throw badRoomToken();
  return { visitor, member };
}

/** The body, also where it is JSON that was sent as plain text. */
function parseBody(body: unknown): unknown {
  try {
    return typeof body === 'string' ? JSON.parse(body) : body;
  } catch {
    return body;
  }
}

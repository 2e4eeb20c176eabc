import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Failure, forbidden } from '../domain/errors.ts';
import { discardPrepared, keepImage, keepVideo, LARGEST_MEDIA, prepareImage, prepareVideo } from '../domain/telehealth/media.ts';
import { type ParticipantMember, readRoomToken } from '../domain/telehealth/room-tokens.ts';
import { findSessionDoor } from '../domain/telehealth/session-links.ts';
import { readInput } from '../http/input.ts';
import { type FormFiles, withForm } from '../http/media-uploads.ts';
import { takeFiles } from '../http/uploads.ts';
import { closedLink } from './failures.ts';
import type { PageDeps } from './index.ts';
import { answerScript } from './visit-failures.ts';
import { type Visitor, visitorOf } from './visitor.ts';

const linkParams = z.object({ token: z.string() });
const PICTURE: FormFiles = { besides: [], largest: LARGEST_MEDIA };
const RECORDING: FormFiles = { besides: ['thumbnail'], largest: LARGEST_MEDIA };

/** Pictures and recordings that the host of a session takes on its page; with the room token of the host beside the link. */
export async function videoMedia(app: FastifyInstance, deps: PageDeps): Promise<void> {
  const { store, work } = deps;
  await takeFiles(app);
  app.setErrorHandler(answerScript);

  app.post('/v/:token/images', { schema: { hide: true } }, async (request, reply) => {
    const { visitor, videoSessionId } = await admitHost(deps, request);
    const prepared = await withForm(request, PICTURE, ({ files }) => prepareImage(store, visitor.organizationId, files.file.path));
    try {
      const uuid = await work.write(visitor, (db, caller) => keepImage(db, caller, { videoSessionId }, prepared));
      return reply.code(201).send({ uuid });
    } finally {
      await discardPrepared(store, visitor.organizationId, prepared);
    }
  });

  app.post('/v/:token/videos', { schema: { hide: true } }, async (request, reply) => {
    const { visitor, videoSessionId } = await admitHost(deps, request);
    const prepared = await withForm(request, RECORDING, ({ files: { file, thumbnail } }) =>
      prepareVideo(store, visitor.organizationId, file.path, thumbnail?.path),
    );
    try {
      const uuid = await work.write(visitor, (db, caller) => keepVideo(db, caller, { videoSessionId }, prepared));
      return reply.code(201).send({ uuid });
    } finally {
      await discardPrepared(store, visitor.organizationId, prepared);
    }
  });
}

/** @throws Failure unauthenticated without a room token that is good; forbidden for one of a guest, or of another session */
async function admitHost({ keyring, work }: PageDeps, request: FastifyRequest): Promise<{ visitor: Visitor; videoSessionId: number }> {
  const visitor = visitorOf(request, readInput(linkParams, request.params).token, 'video_session');
  const [, written = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const member = readRoomToken(keyring, 'enter', written);
  if (!member) throw new Failure('unauthenticated', 'bad_token', 'Join the visit first.');
  const door = await work.read(visitor, (db, caller) => findSessionDoor(db, caller, visitor.link));
  if (!door) throw closedLink();
  if (!leads(member, door.session)) throw forbidden('not_host', 'Only the host of the visit keeps pictures and recordings.');
  // An upload may end after the visit did.
  return { visitor, videoSessionId: door.session.id };
}

function leads(member: { kind: string } | ParticipantMember, session: { organizationId: number; id: number }): boolean {
  return 'role' in member && member.role === 'host' && member.organizationId === session.organizationId && member.sessionId === session.id;
}

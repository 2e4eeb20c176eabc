import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Db } from '../../database/database.ts';
import type { Caller } from '../../domain/caller.ts';
import { Failure, forbidden } from '../../domain/errors.ts';
import {
  discardPrepared,
  type Kept,
  keepImage,
  keepVideo,
  LARGEST_MEDIA,
  type PreparedImage,
  type PreparedVideo,
  prepareImage,
  prepareVideo,
} from '../../domain/telehealth/media.ts';
import { type Member, readRoomToken } from '../../domain/telehealth/room-tokens.ts';
import { findSessionDoor } from '../../domain/telehealth/session-links.ts';
import type { SpooledFiles } from '../../http/endpoint-types.ts';
import { readInput } from '../../http/input.ts';
import { type FormFiles, withForm } from '../../http/media-uploads.ts';
import { takeFiles } from '../../http/uploads.ts';
import { closedLink } from '../failure-pages.ts';
import type { PageDeps } from '../page-deps.ts';
import { type Visitor, visitorOf } from '../visitor.ts';
import { answerScript } from './script-failures.ts';

const linkParams = z.object({ token: z.string() });
const PICTURE: FormFiles = { besides: [], largest: LARGEST_MEDIA };
const RECORDING: FormFiles = { besides: ['thumbnail'], largest: LARGEST_MEDIA };

/** Pictures and recordings that the host of a session takes on its page; with the room token of the host beside the link. */
export async function mediaUploads(app: FastifyInstance, deps: PageDeps): Promise<void> {
  const { store } = deps;
  await takeFiles(app);
  app.setErrorHandler(answerScript);

  app.post('/v/:token/images', { schema: { hide: true } }, (request, reply) =>
    keep(deps, request, reply, {
      form: PICTURE,
      prepare: (organizationId, { file }) => prepareImage(store, organizationId, file.path),
      store: keepImage,
    }),
  );

  app.post('/v/:token/videos', { schema: { hide: true } }, (request, reply) =>
    keep(deps, request, reply, {
      form: RECORDING,
      prepare: (organizationId, { file, thumbnail }) => prepareVideo(store, organizationId, file.path, thumbnail?.path),
      store: keepVideo,
    }),
  );
}

interface Keeping<K> {
  form: FormFiles;
  prepare(organizationId: number, files: SpooledFiles): Promise<K>;
  store(db: Db, caller: Caller, kept: Kept, prepared: K): Promise<number>;
}

/** Works on what the form brings, and keeps it; what the transaction did not keep is taken away again. */
async function keep<K extends PreparedImage | PreparedVideo>(
  deps: PageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { form, prepare, store }: Keeping<K>,
): Promise<FastifyReply> {
  const { visitor, videoSessionId } = await admitHost(deps, request);
  const { organizationId } = visitor;
  const prepared = await withForm(request, form, ({ files }) => prepare(organizationId, files));
  try {
    const uuid = await deps.unitOfWork.write(visitor, (db, caller) => store(db, caller, { videoSessionId }, prepared));
    return reply.code(201).send({ uuid });
  } finally {
    await discardPrepared(deps.store, organizationId, prepared);
  }
}

/** @throws Failure unauthenticated without a room token that is good; forbidden for one of a guest, or of another session */
async function admitHost(
  { keyring, unitOfWork }: PageDeps,
  request: FastifyRequest,
): Promise<{ visitor: Visitor; videoSessionId: number }> {
  const visitor = visitorOf(request, readInput(linkParams, request.params).token, 'video_session');
  const [, written = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const member = readRoomToken(keyring, 'enter', written);
  if (!member) throw new Failure('unauthenticated', 'bad_token', 'Join the visit first.');
  const door = await unitOfWork.read(visitor, (db, caller) => findSessionDoor(db, caller, visitor.link));
  if (!door) throw closedLink();
  if (!leads(member, door.session)) throw forbidden('not_host', 'Only the host of the visit keeps pictures and recordings.');
  // An upload may end after the visit did.
  return { visitor, videoSessionId: door.session.id };
}

const leads = (member: Member, session: { organizationId: number; id: number }): boolean =>
  member.kind === 'participant' &&
  member.role === 'host' &&
  member.organizationId === session.organizationId &&
  member.sessionId === session.id;

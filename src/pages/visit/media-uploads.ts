import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Db } from '../../database/database.ts';
import type { Caller } from '../../domain/caller.ts';
import { Failure, forbidden } from '../../domain/errors.ts';
import {
  discardPrepared,
  MAX_MEDIA_BYTES,
  type NewMedia,
  type PreparedImage,
  type PreparedVideo,
  prepareImage,
  prepareVideo,
  saveImage,
  saveVideo,
} from '../../domain/telehealth/media.ts';
import { type RoomMember, readRoomToken } from '../../domain/telehealth/room-tokens.ts';
import { findLinkedSession } from '../../domain/telehealth/session-links.ts';
import type { SpooledFiles } from '../../http/endpoint-types.ts';
import { readInput } from '../../http/input.ts';
import { type FormFiles, withForm } from '../../http/media-uploads.ts';
import { takeFiles } from '../../http/uploads.ts';
import { unknownLink } from '../failure-pages.ts';
import type { PageDeps } from '../page-deps.ts';
import { type Visitor, visitorOf } from '../visitor.ts';
import { sendScriptFailure } from './script-failures.ts';

const linkParams = z.object({ token: z.string() });
const PICTURE: FormFiles = { besides: [], largest: MAX_MEDIA_BYTES };
const RECORDING: FormFiles = { besides: ['thumbnail'], largest: MAX_MEDIA_BYTES };

/** Uploads of pictures and recordings by the visit page of a host, authorized by the link and the host's room token. */
export async function mediaUploads(app: FastifyInstance, deps: PageDeps): Promise<void> {
  const { store } = deps;
  await takeFiles(app);
  app.setErrorHandler(sendScriptFailure);

  app.post('/v/:token/images', { schema: { hide: true } }, (request, reply) =>
    saveUpload(deps, request, reply, {
      form: PICTURE,
      prepare: (organizationId, { file }) => prepareImage(store, organizationId, file.path),
      save: saveImage,
    }),
  );

  app.post('/v/:token/videos', { schema: { hide: true } }, (request, reply) =>
    saveUpload(deps, request, reply, {
      form: RECORDING,
      prepare: (organizationId, { file, thumbnail }) => prepareVideo(store, organizationId, file.path, thumbnail?.path),
      save: saveVideo,
    }),
  );
}

interface MediaUpload<K> {
  form: FormFiles;
  prepare(organizationId: number, files: SpooledFiles): Promise<K>;
  save(db: Db, caller: Caller, kept: NewMedia, prepared: K): Promise<number>;
}

/** Prepares and saves an uploaded file. Files that the transaction did not save are deleted. */
async function saveUpload<K extends PreparedImage | PreparedVideo>(
  deps: PageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { form, prepare, save }: MediaUpload<K>,
): Promise<FastifyReply> {
  const { visitor, videoSessionId } = await requireHost(deps, request);
  const { organizationId } = visitor;
  const prepared = await withForm(request, form, ({ files }) => prepare(organizationId, files));
  try {
    const uuid = await deps.unitOfWork.write(visitor, (db, caller) => save(db, caller, { videoSessionId }, prepared));
    return reply.code(201).send({ uuid });
  } finally {
    await discardPrepared(deps.store, organizationId, prepared);
  }
}

/** @throws Failure unauthenticated without a valid room token; forbidden for the token of a guest or of another session */
async function requireHost(
  { keyring, unitOfWork }: PageDeps,
  request: FastifyRequest,
): Promise<{ visitor: Visitor; videoSessionId: number }> {
  const visitor = visitorOf(request, readInput(linkParams, request.params).token, 'video_session');
  const [, written = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const member = readRoomToken(keyring, 'enter', written);
  if (!member) throw new Failure('unauthenticated', 'bad_token', 'Join the visit first.');
  const door = await unitOfWork.read(visitor, (db, caller) => findLinkedSession(db, caller, visitor.link));
  if (!door) throw unknownLink();
  if (!isHostOf(member, door.session)) throw forbidden('not_host', 'Only the host of the visit keeps pictures and recordings.');
  // The session may have ended: an upload can take longer than the visit.
  return { visitor, videoSessionId: door.session.id };
}

const isHostOf = (member: RoomMember, session: { organizationId: number; id: number }): boolean =>
  member.kind === 'participant' &&
  member.role === 'host' &&
  member.organizationId === session.organizationId &&
  member.sessionId === session.id;

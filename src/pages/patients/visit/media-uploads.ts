import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { forbidden } from '../../../domain/errors.ts';
import {
  discardPrepared,
  LONGEST_BODY_SITE,
  LONGEST_TITLE,
  MAX_MEDIA_BYTES,
  type NewMedia,
  type PreparedImage,
  type PreparedVideo,
  prepareImage,
  prepareVideo,
  saveImage,
  saveVideo,
} from '../../../domain/telehealth/media/media.ts';
import { findMaker, findMediaName, findShownPerson } from '../../../domain/telehealth/media/media-owners.ts';
import { answerStill, requireWaitingStill } from '../../../domain/telehealth/media/stills.ts';
import type { ParticipantMember } from '../../../domain/telehealth/sessions/room-tokens.ts';
import type { Tx } from '../../../domain/tx.ts';
import type { SpooledFiles } from '../../../http/endpoints/endpoint-types.ts';
import { type FormFiles, withForm } from '../../../http/endpoints/run/media-uploads.ts';
import { takeFiles } from '../../../http/endpoints/run/uploads.ts';
import { readInput } from '../../../http/input/input.ts';
import { sendScriptFailure } from '../../../http/pages/own-scripts.ts';
import { longId, optional, text } from '../../../http/wire/wire-types.ts';
import { findLinkMember } from '../../links/link-member.ts';
import { requireVisitor, type Visitor } from '../../links/visitor.ts';
import type { PageDeps } from '../../page-deps.ts';

const linkParams = z.object({ token: z.string() });
const PICTURE: FormFiles = { besides: [], largest: MAX_MEDIA_BYTES };
const RECORDING: FormFiles = { besides: ['thumbnail'], largest: MAX_MEDIA_BYTES };

/** The fields beside a file of a page of a visit. `patient` is the participant whom it shows. */
const mediaFields = z.object({
  patient: optional(longId()),
  title: optional(text(LONGEST_TITLE)),
  body_site: optional(text(LONGEST_BODY_SITE)),
  still: optional(longId()),
});
type MediaFields = z.output<typeof mediaFields>;

/**
 * Uploads of pictures and recordings by the visit page of a host, and of the stills that a host asked of a guest, authorized by the
 * link and the person's room token.
 */
export async function mediaUploads(app: FastifyInstance, deps: PageDeps): Promise<void> {
  const { store } = deps;
  await takeFiles(app);
  app.setErrorHandler(sendScriptFailure);

  const images: MediaUpload<PreparedImage> = {
    form: PICTURE,
    prepare: (organizationId, { file }, fields) => prepareImage(store, organizationId, file.path, { lossless: isStill(fields) }),
    save: saveImage,
  };
  app.post('/v/:token/images', (request, reply) => saveUpload(deps, request, reply, images));
  // A patient of a waiting room stays on the page of that link.
  app.post('/w/:token/images', (request, reply) => saveUpload(deps, request, reply, images));

  app.post('/v/:token/videos', (request, reply) =>
    saveUpload(deps, request, reply, {
      form: RECORDING,
      prepare: (organizationId, { file, thumbnail }) => prepareVideo(store, organizationId, file.path, thumbnail?.path),
      save: saveVideo,
    }),
  );
}

const isStill = ({ still }: MediaFields): boolean => still !== undefined && still !== null;

interface MediaUpload<K> {
  form: FormFiles;
  prepare(organizationId: number, files: SpooledFiles, fields: MediaFields): Promise<K>;
  save(tx: Tx, kept: NewMedia, prepared: K): Promise<number>;
}

/** Prepares and saves an uploaded file. Files that the transaction did not save are deleted. */
async function saveUpload<K extends PreparedImage | PreparedVideo>(
  deps: PageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { form, prepare, save }: MediaUpload<K>,
): Promise<FastifyReply> {
  const { visitor, member } = await requireMember(deps, request);
  const { organizationId } = visitor;
  const { prepared, fields } = await withForm(request, form, async ({ files, texts }) => {
    const fields = readInput(mediaFields, texts);
    await deps.unitOfWork.read(visitor, (tx) => requireMaySend(tx, member, fields));
    return { fields, prepared: await prepare(organizationId, files, fields) };
  });
  try {
    const saved = await deps.unitOfWork.write(visitor, (tx) => saveAs(tx, { member, fields }, (media) => save(tx, media, prepared)));
    return reply.code(201).send(saved);
  } finally {
    await discardPrepared(deps.store, organizationId, prepared);
  }
}

/** Refuses before the file is worked on. @throws Failure forbidden for a guest of whom no still was asked; as saveAs */
async function requireMaySend(tx: Tx, member: ParticipantMember, { still, patient }: MediaFields): Promise<void> {
  if (member.role === 'host') await findShownPerson(tx, member.sessionId, patient ?? null);
  else if (still) await requireWaitingStill(tx, member, still);
  else throw forbidden('not_host', 'Only the host of the visit can save pictures and recordings.');
}

/** Saves what a host took of the chosen person, or the still that was asked of a guest. */
async function saveAs(
  tx: Tx,
  { member, fields }: { member: ParticipantMember; fields: MediaFields },
  save: (media: NewMedia) => Promise<number>,
): Promise<{ uuid: number; patient: { name: string } | null }> {
  if (member.role === 'guest') {
    const { imageId } = await answerStill(tx, { member, id: fields.still ?? 0 }, save);
    return { uuid: imageId, patient: null };
  }
  const { sessionId: videoSessionId, id: makerParticipantId } = member;
  const shown = await findShownPerson(tx, videoSessionId, fields.patient ?? null);
  const makerUserId = await findMaker(tx, makerParticipantId);
  const labels = { title: fields.title, bodySite: fields.body_site };
  const uuid = await save({ videoSessionId, ...shown, makerParticipantId, makerUserId, ...labels });
  return { uuid, patient: shown.patientId === null ? null : { name: await findMediaName(tx, shown.patientId) } };
}

/** @throws Failure as findLinkMember; forbidden for a token of another link */
async function requireMember(deps: PageDeps, request: FastifyRequest): Promise<{ visitor: Visitor; member: ParticipantMember }> {
  const visitor = requireVisitor(request, readInput(linkParams, request.params).token, 'video_session');
  const [, written = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const member = await findLinkMember(deps, visitor, written);
  if (member?.kind !== 'participant') throw forbidden('not_host', 'Only the host of the visit can save pictures and recordings.');
  // The session may have ended: an upload can take longer than the visit.
  return { visitor, member };
}

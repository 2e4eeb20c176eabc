import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { SessionVideo } from '../../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { discardFile, type FileStore, type StoredFile, storeFile } from '../../files/stored-files.ts';
import { type Attachment, attachFile } from '../../messaging/attachments/attachments.ts';
import type { Tx } from '../../tx.ts';
import { requireRecordingAgreed } from '../sessions/recording-consent.ts';
import { type Picture, readPicture, readThumbnail } from './media-pictures.ts';
import { readRecording } from './media-recordings.ts';

/** Bytes of a picture or a recording as it is uploaded. */
export const MAX_MEDIA_BYTES = 25 * 1024 * 1024;
/** Characters. */
export const LONGEST_TITLE = 200;
export const LONGEST_BODY_SITE = 100;
/** Bytes of what is stored: a picture that keeps every pixel can take more than what was sent. */
const MAX_STORED_BYTES = 8 * MAX_MEDIA_BYTES;

/** A picture whose files are stored and belong to no row yet: saveImage makes the row, else discardPrepared deletes the files. */
export interface PreparedImage {
  file: StoredFile;
  thumbnail: StoredFile;
  extension: string;
  width: number;
  height: number;
}

/** A recording whose files are stored and belong to no row yet: saveVideo makes the row, else discardPrepared deletes the files. */
export interface PreparedVideo extends Pick<SessionVideo, 'width' | 'height' | 'durationSeconds' | 'seekable' | 'playable'> {
  file: StoredFile;
  thumbnail: StoredFile | null;
  extension: string;
}

/**
 * Encodes a picture anew, makes its thumbnail and stores both files. Runs before the transaction of saveImage.
 * @param path of the uploaded file
 * @param options as readPicture
 * @throws Failure invalid for a file that is no picture, with the field `file`; too_large; unavailable
 */
export async function prepareImage(
  store: FileStore,
  organizationId: number,
  path: string,
  options: { lossless?: boolean } = {},
): Promise<PreparedImage> {
  const picture = await readPicture(path, 'file', options);
  const small = await readThumbnail(path, 'file');
  const { extension, width, height } = picture;
  const [file, thumbnail] = await storeAll(store, organizationId, [readContent(picture), readContent(small)]);
  return { file, thumbnail, extension, width, height };
}

/**
 * Makes a recording seekable and stores its files. Runs before the transaction of saveVideo.
 * @param path of the uploaded file
 * @param still path of a picture of the recording, for its thumbnail; without one there is none
 * @throws Failure as prepareImage; with the field `thumbnail` where the still is no picture
 */
export async function prepareVideo(store: FileStore, organizationId: number, path: string, still?: string): Promise<PreparedVideo> {
  const small = still === undefined ? null : await readThumbnail(still, 'thumbnail');
  const { seconds, ...recording } = await readRecording(path, 'file');
  const { extension, width, height, seekable, playable } = recording;
  const found = { extension, width, height, seekable, playable, durationSeconds: seconds === null ? null : Math.round(seconds) };
  const content = () => createReadStream(recording.path);
  if (small === null) {
    const [file] = await storeAll(store, organizationId, [content]);
    return { ...found, file, thumbnail: null };
  }
  const [file, thumbnail] = await storeAll(store, organizationId, [content, readContent(small)]);
  return { ...found, file, thumbnail };
}

/** Deletes prepared files that no row refers to. Files of a saved picture or recording stay. */
export async function discardPrepared(store: FileStore, organizationId: number, prepared: PreparedImage | PreparedVideo): Promise<void> {
  for (const file of [prepared.file, prepared.thumbnail]) if (file) await discardFile(store, organizationId, file.storageKey);
}

type Content = () => Readable;
const readContent =
  ({ path }: Picture): Content =>
  () =>
    createReadStream(path);

/** Stores all contents or none. */
function storeAll(store: FileStore, organizationId: number, contents: [Content]): Promise<[StoredFile]>;
function storeAll(store: FileStore, organizationId: number, contents: [Content, Content]): Promise<[StoredFile, StoredFile]>;
async function storeAll(store: FileStore, organizationId: number, contents: Content[]): Promise<StoredFile[]> {
  const stored: StoredFile[] = [];
  try {
    for (const content of contents) stored.push(await storeFile(store, organizationId, content(), MAX_STORED_BYTES));
    return stored;
  } catch (error) {
    for (const { storageKey } of stored) await discardFile(store, organizationId, storageKey);
    throw error;
  }
}

/** A picture or recording to save. */
export interface NewMedia {
  videoSessionId: number;
  /** To whom it belongs; null where no patient is known to be shown. */
  patientId: number | null;
  /** The participant whom it shows, if one was chosen on the page of the visit. */
  shownParticipantId?: number | null;
  /** The participant who sent it from the page of the visit. */
  makerParticipantId?: number | null;
  /** The user who took it; the caller unless given. */
  makerUserId?: number | null;
  title?: string | null | undefined;
  bodySite?: string | null | undefined;
  /** When it was taken; now unless given. */
  at?: Date | undefined;
}

/** Saves a picture of a session. @returns its id. @throws Failure not_found */
export async function saveImage(tx: Tx, media: NewMedia, prepared: PreparedImage): Promise<number> {
  await requireSession(tx, media.videoSessionId);
  const { file, thumbnail, width, height, extension } = prepared;
  const content = await attachFile(tx, file, `picture.${extension}`);
  const small = await attachFile(tx, thumbnail, 'thumbnail.jpg');
  const row = { ...toColumns(tx, media), takenAt: media.at ?? new Date(), width, height, ...toFileColumns(content, small) };
  const { id } = await tx.prisma.sessionImage.create({ data: row, select: { id: true } });
  recordChange(tx, 'create', { name: 'session_image.kept', id }, toPatientIds(media));
  return id;
}

/** Saves a recording of a session. @returns its id. @throws Failure as requireRecordingAgreed */
export async function saveVideo(tx: Tx, media: NewMedia, prepared: PreparedVideo): Promise<number> {
  await requireRecordingAgreed(tx, media.videoSessionId);
  const { file, thumbnail, extension, ...found } = prepared;
  const content = await attachFile(tx, file, `recording.${extension}`);
  const small = thumbnail && (await attachFile(tx, thumbnail, 'thumbnail.jpg'));
  const row = { ...toColumns(tx, media), recordedAt: media.at ?? new Date(), ...found, ...toFileColumns(content, small) };
  const { id } = await tx.prisma.sessionVideo.create({ data: row, select: { id: true } });
  recordChange(tx, 'create', { name: 'session_video.kept', id }, toPatientIds(media));
  return id;
}

const toColumns = ({ organizationId, userId }: Caller, media: NewMedia) => ({
  organizationId,
  videoSessionId: media.videoSessionId,
  patientId: media.patientId,
  shownParticipantId: media.shownParticipantId ?? null,
  makerParticipantId: media.makerParticipantId ?? null,
  makerUserId: media.makerUserId ?? userId,
  title: media.title ?? null,
  bodySite: media.bodySite ?? null,
});

const toFileColumns = (content: Attachment, small: Attachment | null) => ({
  attachmentId: content.id,
  thumbnailAttachmentId: small?.id ?? null,
});

async function requireSession(tx: Tx, id: number): Promise<void> {
  const where = tx.key(id);
  if (!(await tx.prisma.videoSession.findUnique({ where, select: { id: true } }))) throw notFound('video session');
}

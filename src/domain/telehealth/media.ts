import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { Db } from '../../database/database.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { notFound } from '../errors.ts';
import { discardFile, type FileStore, type StoredFile, storeFile } from '../files/stored-files.ts';
import { type Attachment, attachFile } from '../messaging/attachments.ts';
import { type Picture, readPicture, readThumbnail } from './media-pictures.ts';
import { readRecording } from './media-recordings.ts';

/** Bytes of a picture or a recording, both as it is uploaded and as it is stored. */
export const MAX_MEDIA_BYTES = 25 * 1024 * 1024;

/** A picture whose files are stored and belong to no row yet: saveImage makes the row, else discardPrepared deletes the files. */
export interface PreparedImage {
  file: StoredFile;
  thumbnail: StoredFile;
  extension: string;
  width: number;
  height: number;
}

/** A recording whose files are stored and belong to no row yet: saveVideo makes the row, else discardPrepared deletes the files. */
export interface PreparedVideo {
  file: StoredFile;
  thumbnail: StoredFile | null;
  extension: string;
  width: number | null;
  height: number | null;
  durationSeconds: number | null;
  seekable: boolean;
}

/**
 * Encodes a picture anew, makes its thumbnail and stores both files. Runs before the transaction of saveImage.
 * @param path of the uploaded file
 * @throws Failure invalid for a file that is no picture, with the field `file`; too_large; unavailable
 */
export async function prepareImage(store: FileStore, organizationId: number, path: string): Promise<PreparedImage> {
  const picture = await readPicture(path, 'file');
  const small = await readThumbnail(path, 'file');
  const { extension, width, height } = picture;
  const [file, thumbnail] = await storeAll(store, organizationId, [contentOf(picture), contentOf(small)]);
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
  const { extension, width, height, seekable } = recording;
  const found = { extension, width, height, seekable, durationSeconds: seconds === null ? null : Math.round(seconds) };
  const content = () => createReadStream(recording.path);
  if (small === null) {
    const [file] = await storeAll(store, organizationId, [content]);
    return { ...found, file, thumbnail: null };
  }
  const [file, thumbnail] = await storeAll(store, organizationId, [content, contentOf(small)]);
  return { ...found, file, thumbnail };
}

/** Deletes prepared files that no row refers to. Files of a saved picture or recording stay. */
export async function discardPrepared(store: FileStore, organizationId: number, prepared: PreparedImage | PreparedVideo): Promise<void> {
  for (const file of [prepared.file, prepared.thumbnail]) if (file) await discardFile(store, organizationId, file.storageKey);
}

type Content = () => Readable;
const contentOf =
  ({ content }: Picture): Content =>
  () =>
    Readable.from([content], { objectMode: false });

/** Stores all contents or none. */
function storeAll(store: FileStore, organizationId: number, contents: [Content]): Promise<[StoredFile]>;
function storeAll(store: FileStore, organizationId: number, contents: [Content, Content]): Promise<[StoredFile, StoredFile]>;
async function storeAll(store: FileStore, organizationId: number, contents: Content[]): Promise<StoredFile[]> {
  const stored: StoredFile[] = [];
  try {
    for (const content of contents) stored.push(await storeFile(store, organizationId, content(), MAX_MEDIA_BYTES));
    return stored;
  } catch (error) {
    for (const { storageKey } of stored) await discardFile(store, organizationId, storageKey);
    throw error;
  }
}

/** A picture or recording to save. */
export interface NewMedia {
  videoSessionId: number;
  title?: string | undefined;
  /** When it was taken; now unless given. */
  at?: Date | undefined;
}

/** Saves a picture of a session. @returns its id. @throws Failure not_found */
export async function saveImage(
  db: Db,
  caller: Caller,
  { videoSessionId, title, at = new Date() }: NewMedia,
  prepared: PreparedImage,
): Promise<number> {
  const { organizationId } = caller;
  await requireSession(db, caller, videoSessionId);
  const { file, thumbnail, width, height, extension } = prepared;
  const content = await attachFile(db, caller, file, `picture.${extension}`);
  const small = await attachFile(db, caller, thumbnail, 'thumbnail.jpg');
  const row = { organizationId, videoSessionId, title: title ?? null, takenAt: at, width, height, ...filesOf(content, small) };
  const { id } = await db.sessionImage.create({ data: row, select: { id: true } });
  recordChange(caller, 'create', { name: 'session_image.kept', subject: 'session_image', id });
  return id;
}

/** Saves a recording of a session. @returns its id. @throws Failure as saveImage */
export async function saveVideo(
  db: Db,
  caller: Caller,
  { videoSessionId, title, at = new Date() }: NewMedia,
  prepared: PreparedVideo,
): Promise<number> {
  const { organizationId } = caller;
  await requireSession(db, caller, videoSessionId);
  const { file, thumbnail, extension, ...found } = prepared;
  const content = await attachFile(db, caller, file, `recording.${extension}`);
  const small = thumbnail && (await attachFile(db, caller, thumbnail, 'thumbnail.jpg'));
  const row = { organizationId, videoSessionId, title: title ?? null, recordedAt: at, ...found, ...filesOf(content, small) };
  const { id } = await db.sessionVideo.create({ data: row, select: { id: true } });
  recordChange(caller, 'create', { name: 'session_video.kept', subject: 'session_video', id });
  return id;
}

const filesOf = (content: Attachment, small: Attachment | null) => ({ attachmentId: content.id, thumbnailAttachmentId: small?.id ?? null });

async function requireSession(db: Db, { organizationId }: Caller, id: number): Promise<void> {
  const where = { organizationId_id: { organizationId, id } };
  if (!(await db.videoSession.findUnique({ where, select: { id: true } }))) throw notFound('video session');
}

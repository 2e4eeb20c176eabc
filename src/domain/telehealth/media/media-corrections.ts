import type { Db } from '../../../database/database.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { forbidden, notFound } from '../../errors.ts';
import { detachFile } from '../../messaging/attachments/attachments.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { changesTo, type Given } from '../../values/changed-fields.ts';
import { findSessionId, type SessionKey } from '../sessions/session-lists.ts';
import type { MediaKind } from './media-lists.sql.ts';
import { readImage, readVideo, type SessionImage, type SessionVideo } from './media-lists.ts';

/** A picture or a recording of a session. */
export interface MediaKey {
  session: SessionKey;
  id: number;
}

/** The fields that can be corrected. Absent ones stay; null clears. */
export interface MediaCorrection {
  /** To whom it belongs; null for nobody. */
  patientId?: number | null | undefined;
  title?: string | null | undefined;
  bodySite?: string | null | undefined;
}

interface MediaOf {
  image: SessionImage;
  video: SessionVideo;
}

interface RowKey {
  organizationId_id: { organizationId: number; id: number };
}

interface MediaRecords<M> {
  subject: 'session_image' | 'session_video';
  noun: string;
  read(tx: Tx, id: number): Promise<M>;
  /** Locks the row until the transaction ends. */
  lock(tx: PracticeTx, id: number): Promise<unknown>;
  update(db: Db, where: RowKey, data: Given<MediaCorrection>): Promise<unknown>;
  /** Deletes the row. @returns the ids of its files */
  remove(db: Db, where: RowKey): Promise<{ attachmentId: number; thumbnailAttachmentId: number | null }>;
}

const RECORDS: { [K in MediaKind]: MediaRecords<MediaOf[K]> } = {
  image: {
    subject: 'session_image',
    noun: 'session image',
    read: readImage,
    lock: (tx, id) =>
      tx.prisma.$queryRaw`SELECT id FROM session_image WHERE organization_id = ${tx.organizationId} AND id = ${id} FOR UPDATE`,
    update: (db, where, data) => db.sessionImage.update({ where, data, select: { id: true } }),
    remove: async (db, where) => {
      const { organizationId, id: imageId } = where.organizationId_id;
      await db.stillRequest.updateMany({ where: { organizationId, imageId }, data: { imageId: null } });
      return db.sessionImage.delete({ where });
    },
  },
  video: {
    subject: 'session_video',
    noun: 'session video',
    read: readVideo,
    lock: (tx, id) =>
      tx.prisma.$queryRaw`SELECT id FROM session_video WHERE organization_id = ${tx.organizationId} AND id = ${id} FOR UPDATE`,
    update: (db, where, data) => db.sessionVideo.update({ where, data, select: { id: true } }),
    remove: (db, where) => db.sessionVideo.delete({ where }),
  },
};

/** A picture or a recording of this session, audited. @throws Failure not_found */
export async function readMediaOfSession<K extends MediaKind>(tx: Tx, kind: K, key: MediaKey): Promise<MediaOf[K]> {
  const { read, noun } = RECORDS[kind];
  const media = await read(tx, key.id);
  if (media.video_session_id !== (await findSessionId(tx, key.session))) throw notFound(noun);
  return media;
}

/**
 * Corrects a picture or a recording.
 * @throws Failure not_found, also for the patient; forbidden for users who neither took it nor are admins
 */
export async function correctMedia(tx: Tx, kind: MediaKind, key: MediaKey, input: MediaCorrection): Promise<void> {
  const { subject, lock, update } = RECORDS[kind];
  const { id } = key;
  await lock(tx, id);
  const media = await readMediaOfSession(tx, kind, key);
  const changes = await findChanges(tx, media, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return;
  await update(tx.prisma, tx.key(id), changes);
  recordChange(tx, 'update', { name: `${subject}.updated`, id, changed }, listPatientIds(media, changes));
}

/** Deletes a picture or a recording, and its files. @throws Failure as correctMedia */
export async function deleteMedia(tx: Tx, kind: MediaKind, key: MediaKey): Promise<void> {
  await RECORDS[kind].lock(tx, key.id);
  const media = await readMediaOfSession(tx, kind, key);
  requireMaker(tx, media);
  await removeMedia(tx, kind, key.id, listPatientIds(media));
}

/** Deletes a picture or a recording, and its files, whoever made it. @param patientIds of the charts that it is about */
export async function removeMedia(tx: Tx, kind: MediaKind, id: number, patientIds: number[]): Promise<void> {
  const { subject, remove } = RECORDS[kind];
  const { attachmentId, thumbnailAttachmentId } = await remove(tx.prisma, tx.key(id));
  for (const file of [attachmentId, thumbnailAttachmentId]) if (file !== null) await detachFile(tx, file);
  recordChange(tx, 'delete', { name: `${subject}.deleted`, id }, patientIds);
}

async function findChanges(tx: Tx, media: SessionImage, input: MediaCorrection) {
  requireMaker(tx, media);
  // The chart of a deleted patient is not named, so what was read may be sent back as null.
  const before = { patientId: media.patients[0]?.id ?? null, title: media.title, bodySite: media.body_site };
  const changes = changesTo<MediaCorrection>(before, input);
  if (changes.patientId !== undefined && changes.patientId !== null) await findPatient(tx, changes.patientId, 'mediaPatientId');
  return changes;
}

function requireMaker({ userId, role }: Caller, { maker_id }: SessionImage): void {
  if (role === 'admin' || (userId !== null && maker_id === userId)) return;
  throw forbidden('not_the_maker', 'Only the user who took it, or an admin, can change or delete it.');
}

/** The patients in whose records a change shows: before it and after it. */
const listPatientIds = ({ patient_id }: SessionImage, { patientId }: MediaCorrection = {}): number[] =>
  [...new Set([patient_id, patientId])].flatMap((id) => id ?? []);

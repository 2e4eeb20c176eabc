import type { Db } from '../../../database/database.ts';
import type { Prepared } from '../../../database/statements/statement.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { forbidden, notFound } from '../../errors.ts';
import { detachFile } from '../../messaging/attachments/attachments.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import { preparedForIn } from '../../patients/restrictions/opened-charts.sql.ts';
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
  read(prepared: Prepared, caller: Caller, id: number): Promise<M>;
  /** Locks the row until the transaction ends. */
  lock(db: Db, organizationId: number, id: number): Promise<unknown>;
  update(db: Db, where: RowKey, data: Given<MediaCorrection>): Promise<unknown>;
  /** Deletes the row. @returns the ids of its files */
  remove(db: Db, where: RowKey): Promise<{ attachmentId: number; thumbnailAttachmentId: number | null }>;
}

const RECORDS: { [K in MediaKind]: MediaRecords<MediaOf[K]> } = {
  image: {
    subject: 'session_image',
    noun: 'session image',
    read: readImage,
    lock: (db, organizationId, id) =>
      db.$queryRaw`SELECT id FROM session_image WHERE organization_id = ${organizationId} AND id = ${id} FOR UPDATE`,
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
    lock: (db, organizationId, id) =>
      db.$queryRaw`SELECT id FROM session_video WHERE organization_id = ${organizationId} AND id = ${id} FOR UPDATE`,
    update: (db, where, data) => db.sessionVideo.update({ where, data, select: { id: true } }),
    remove: (db, where) => db.sessionVideo.delete({ where }),
  },
};

/** A picture or a recording of this session, audited. @throws Failure not_found */
export async function readMediaOfSession<K extends MediaKind>(db: Db, caller: Caller, kind: K, key: MediaKey): Promise<MediaOf[K]> {
  const { read, noun } = RECORDS[kind];
  const media = await read(preparedForIn(db, caller), caller, key.id);
  if (media.video_session_id !== (await findSessionId(preparedForIn(db, caller), caller, key.session))) throw notFound(noun);
  return media;
}

/**
 * Corrects a picture or a recording.
 * @throws Failure not_found, also for the patient; forbidden for users who neither took it nor are admins
 */
export async function correctMedia(db: Db, caller: Caller, kind: MediaKind, key: MediaKey, input: MediaCorrection): Promise<void> {
  const { subject, lock, update } = RECORDS[kind];
  const { organizationId } = caller;
  const { id } = key;
  await lock(db, organizationId, id);
  const media = await readMediaOfSession(db, caller, kind, key);
  const changes = await findChanges(db, caller, media, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return;
  await update(db, { organizationId_id: { organizationId, id } }, changes);
  recordChange(caller, 'update', { name: `${subject}.updated`, id, changed }, listPatientIds(media, changes));
}

/** Deletes a picture or a recording, and its files. @throws Failure as correctMedia */
export async function deleteMedia(db: Db, caller: Caller, kind: MediaKind, key: MediaKey): Promise<void> {
  await RECORDS[kind].lock(db, caller.organizationId, key.id);
  const media = await readMediaOfSession(db, caller, kind, key);
  requireMaker(caller, media);
  await removeMedia(db, caller, kind, key.id, listPatientIds(media));
}

/** Deletes a picture or a recording, and its files, whoever made it. @param patientIds of the charts that it is about */
export async function removeMedia(db: Db, caller: Caller, kind: MediaKind, id: number, patientIds: number[]): Promise<void> {
  const { subject, remove } = RECORDS[kind];
  const { attachmentId, thumbnailAttachmentId } = await remove(db, { organizationId_id: { organizationId: caller.organizationId, id } });
  for (const file of [attachmentId, thumbnailAttachmentId]) if (file !== null) await detachFile(db, caller, file);
  recordChange(caller, 'delete', { name: `${subject}.deleted`, id }, patientIds);
}

async function findChanges(db: Db, caller: Caller, media: SessionImage, input: MediaCorrection) {
  requireMaker(caller, media);
  // The chart of a deleted patient is not named, so what was read may be sent back as null.
  const before = { patientId: media.patients[0]?.id ?? null, title: media.title, bodySite: media.body_site };
  const changes = changesTo<MediaCorrection>(before, input);
  if (changes.patientId !== undefined && changes.patientId !== null) await findPatient(db, caller, changes.patientId, 'mediaPatientId');
  return changes;
}

function requireMaker({ userId, role }: Caller, { maker_id }: SessionImage): void {
  if (role === 'admin' || (userId !== null && maker_id === userId)) return;
  throw forbidden('not_the_maker', 'Only the user who took it, or an admin, can change or delete it.');
}

/** The patients in whose records a change shows: before it and after it. */
const listPatientIds = ({ patient_id }: SessionImage, { patientId }: MediaCorrection = {}): number[] =>
  [...new Set([patient_id, patientId])].flatMap((id) => id ?? []);

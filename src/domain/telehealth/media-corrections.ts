import type { Db } from '../../database/database.ts';
import { preparedIn } from '../../database/statement.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { forbidden, notFound } from '../errors.ts';
import { detachFile } from '../messaging/attachments.ts';
import { findPatient } from '../patients/find-patient.ts';
import { changesTo } from '../values/changed-fields.ts';
import { readImage, readVideo, type SessionImage, type SessionVideo } from './media-lists.ts';
import { findSessionId, type SessionKey } from './session-lists.ts';

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

/** A picture of this session, audited. @throws Failure not_found */
export async function readImageOfSession(db: Db, caller: Caller, key: MediaKey): Promise<SessionImage> {
  const image = await readImage(preparedIn(db), caller, key.id);
  return requireOfSession(image, await findSessionId(preparedIn(db), caller, key.session), 'session image');
}

/** A recording of this session, audited. @throws Failure not_found */
export async function readVideoOfSession(db: Db, caller: Caller, key: MediaKey): Promise<SessionVideo> {
  const video = await readVideo(preparedIn(db), caller, key.id);
  return requireOfSession(video, await findSessionId(preparedIn(db), caller, key.session), 'session video');
}

function requireOfSession<M extends SessionImage>(media: M, session: number, noun: string): M {
  if (media.video_session_id !== session) throw notFound(noun);
  return media;
}

/** Corrects a picture. @throws Failure not_found, also for the patient; forbidden for users who neither took it nor are admins */
export async function correctImage(db: Db, caller: Caller, key: MediaKey, input: MediaCorrection): Promise<void> {
  const { organizationId } = caller;
  await db.$queryRaw`SELECT id FROM session_image WHERE organization_id = ${organizationId} AND id = ${key.id} FOR NO KEY UPDATE`;
  const image = await readImageOfSession(db, caller, key);
  const changes = await findChanges(db, caller, image, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return;
  const where = { organizationId_id: { organizationId, id: key.id } };
  await db.sessionImage.update({ where, data: changes, select: { id: true } });
  const event = { name: 'session_image.updated', subject: 'session_image', id: key.id, changed };
  recordChange(caller, 'update', event, patientsOf(image, changes));
}

/** Corrects a recording. @throws Failure as correctImage */
export async function correctVideo(db: Db, caller: Caller, key: MediaKey, input: MediaCorrection): Promise<void> {
  const { organizationId } = caller;
  await db.$queryRaw`SELECT id FROM session_video WHERE organization_id = ${organizationId} AND id = ${key.id} FOR NO KEY UPDATE`;
  const video = await readVideoOfSession(db, caller, key);
  const changes = await findChanges(db, caller, video, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return;
  const where = { organizationId_id: { organizationId, id: key.id } };
  await db.sessionVideo.update({ where, data: changes, select: { id: true } });
  const event = { name: 'session_video.updated', subject: 'session_video', id: key.id, changed };
  recordChange(caller, 'update', event, patientsOf(video, changes));
}

/** Deletes a picture and its files. @throws Failure as correctImage */
export async function deleteImage(db: Db, caller: Caller, key: MediaKey): Promise<void> {
  const { organizationId } = caller;
  const where = { organizationId_id: { organizationId, id: key.id } };
  await db.$queryRaw`SELECT id FROM session_image WHERE organization_id = ${organizationId} AND id = ${key.id} FOR UPDATE`;
  const image = await readImageOfSession(db, caller, key);
  requireMaker(caller, image);
  await db.stillRequest.updateMany({ where: { organizationId, imageId: key.id }, data: { imageId: null } });
  const { attachmentId, thumbnailAttachmentId } = await db.sessionImage.delete({ where });
  for (const id of [attachmentId, thumbnailAttachmentId]) if (id !== null) await detachFile(db, caller, id);
  recordChange(caller, 'delete', { name: 'session_image.deleted', subject: 'session_image', id: key.id }, patientsOf(image));
}

/** Deletes a recording and its files. @throws Failure as correctImage */
export async function deleteVideo(db: Db, caller: Caller, key: MediaKey): Promise<void> {
  const { organizationId } = caller;
  const where = { organizationId_id: { organizationId, id: key.id } };
  await db.$queryRaw`SELECT id FROM session_video WHERE organization_id = ${organizationId} AND id = ${key.id} FOR UPDATE`;
  const video = await readVideoOfSession(db, caller, key);
  requireMaker(caller, video);
  const { attachmentId, thumbnailAttachmentId } = await db.sessionVideo.delete({ where });
  for (const id of [attachmentId, thumbnailAttachmentId]) if (id !== null) await detachFile(db, caller, id);
  recordChange(caller, 'delete', { name: 'session_video.deleted', subject: 'session_video', id: key.id }, patientsOf(video));
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
  throw forbidden('not_the_maker', 'Only who took it, or an admin, changes or deletes it.');
}

/** The patients in whose records a change shows: before it and after it. */
const patientsOf = ({ patient_id }: SessionImage, { patientId }: MediaCorrection = {}): number[] =>
  [...new Set([patient_id, patientId])].flatMap((id) => id ?? []);

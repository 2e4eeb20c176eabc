import type { Db } from '../../database/database.ts';
import { recordChange, recordReadWithPatients } from '../audit/journal-entries.ts';
import { type Caller, maySeeRestricted } from '../caller.ts';
import { Failure, notFound } from '../errors.ts';
import { isNameOfProgram, sanitizeFileName } from '../files/file-names.ts';
import { isProgram } from '../files/file-types.ts';
import { claimFile, releaseFile, type StoredFile } from '../files/stored-files.ts';
import { preparedForIn } from '../patients/restrictions/opened-charts.sql.ts';
import { PATIENTS_OF_ATTACHMENT, RESTRICTED_ATTACHMENTS } from './attachments.sql.ts';
import { listRestrictedNumbers } from './contacts/restricted-numbers.ts';

/** A stored file of an organization. */
export interface Attachment extends Omit<StoredFile, 'sha256'> {
  id: number;
  /** Safe to display and to save under: no path, no control characters. */
  fileName: string;
  sha256: Uint8Array;
  uploadedByUserId: number | null;
  createdAt: Date;
}

const PROGRAM = 'The file is a program, a script or an installer, and is not passed on to people.';
const PROGRAM_ISSUE = { issues: [{ field: 'file', code: 'executable_file', message: 'is a program, a script or an installer' }] };

/**
 * Creates an attachment for a stored file.
 * @param name the file name as the client sent it
 * @throws Failure unsupported_media_type for a program whatever its name, and for a name that a computer runs
 */
export async function attachFile(db: Db, caller: Caller, file: StoredFile, name: string): Promise<Attachment> {
  const fileName = sanitizeFileName(name);
  if (isProgram(file.mediaType) || isNameOfProgram(fileName))
    throw new Failure('unsupported_media_type', 'executable_file', PROGRAM, PROGRAM_ISSUE);
  const { organizationId, userId: uploadedByUserId } = caller;
  await claimFile(db, caller, file.storageKey);
  const data = { ...file, sha256: new Uint8Array(file.sha256), organizationId, uploadedByUserId, fileName };
  const attachment = await db.attachment.create({ data });
  recordChange(caller, 'create', { name: 'attachment.uploaded', id: attachment.id });
  return attachment;
}

/**
 * Deletes an attachment and, when the transaction has committed, its content. Does nothing where a message, a text, a picture or a recording
 * has it still.
 */
export async function detachFile(db: Db, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller;
  const none = { none: { organizationId } };
  const ofSessions = { sessionImages: none, sessionVideos: none, videoThumbnails: none, imageThumbnails: none };
  const unused = { organizationId, id, externalMessages: none, voiceMessages: none, textPictures: none, ...ofSessions };
  const attachment = await db.attachment.findFirst({ where: unused, select: { storageKey: true } });
  if (!attachment) return;
  await db.attachment.delete({ where: { organizationId_id: { organizationId, id } } });
  await releaseFile(db, caller, attachment.storageKey);
  recordChange(caller, 'delete', { name: 'attachment.deleted', id });
}

/**
 * Finds one attachment and audits the read, with the patients whom the file is about.
 * @throws Failure not_found, also for a file of restricted and blocked patients alone
 */
export async function findAttachment(db: Db, caller: Caller, id: number): Promise<Attachment> {
  const { organizationId } = caller;
  const attachment = await db.attachment.findUnique({ where: { organizationId_id: { organizationId, id } } });
  if (!attachment || (await findRestrictedAttachments(db, caller, [id])).has(id)) throw notFound('attachment');
  const patients = await preparedForIn(db, caller).rows(PATIENTS_OF_ATTACHMENT, [organizationId, id]);
  recordReadWithPatients(caller, 'attachment', { ids: [id], patientIds: patients.map((patient) => patient.id) }, 'read');
  return attachment;
}

/** Those of the attachments that the caller may not see: files of restricted and blocked patients alone. */
export async function findRestrictedAttachments(db: Db, caller: Caller, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (maySeeRestricted(caller) || ids.length === 0) return new Set();
  const numbers = await listRestrictedNumbers(db, caller);
  const rows = await preparedForIn(db, caller).rows(RESTRICTED_ATTACHMENTS, [caller.organizationId, ids, numbers]);
  return new Set(rows.map(({ id }) => id));
}

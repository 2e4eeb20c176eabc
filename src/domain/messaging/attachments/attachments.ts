import { type Statement, statement } from '../../../database/statements/statement.ts';
import { recordChange, recordReadWithPatients } from '../../audit/journal-entries.ts';
import { maySeeRestricted } from '../../caller.ts';
import { Failure, notFound } from '../../errors.ts';
import { isNameOfProgram, sanitizeFileName } from '../../files/file-names.ts';
import { isProgram } from '../../files/file-types.ts';
import { claimFile, releaseFile, type StoredFile } from '../../files/stored-files.ts';
import { isShownMedia } from '../../patients/restrictions/restricted-charts.sql.ts';
import type { Tx } from '../../tx.ts';
import { listRestrictedNumbers } from '../contacts/restricted-numbers.ts';

/** The sessions' files of one kind, each with whether a restricted chart hides it. */
const sessionFiles = (table: 'session_image' | 'session_video', column: 'attachment_id' | 'thumbnail_attachment_id') => `
  SELECT m.${column}, NOT (${isShownMedia('m')})
    FROM ${table} m WHERE m.organization_id = $1 AND m.${column} = ANY ($2::bigint[])`;

/** The sessions' files of one kind, each with the patient whom it shows. */
const sessionOwners = (table: 'session_image' | 'session_video') => `
  SELECT m.patient_id FROM ${table} m WHERE m.organization_id = $1 AND $2 IN (m.attachment_id, m.thumbnail_attachment_id)`;

/** The patients whom a file is about, each once. Values: organization, id of the attachment. */
const PATIENTS_OF_ATTACHMENT: Statement<{ id: number }> = statement(
  'patients_of_attachment',
  `SELECT f.patient_id AS id FROM (
     SELECT m.patient_id
       FROM external_message_attachment x
       JOIN external_message m ON m.organization_id = x.organization_id AND m.id = x.external_message_id
      WHERE x.organization_id = $1 AND x.attachment_id = $2::bigint
     UNION
     SELECT v.patient_id FROM voice_pager_message v WHERE v.organization_id = $1 AND v.attachment_id = $2
     UNION
     SELECT t.patient_id FROM text_picture g JOIN sms_message t ON t.organization_id = g.organization_id AND t.id = g.sms_message_id
      WHERE g.organization_id = $1 AND g.attachment_id = $2
     UNION ${sessionOwners('session_image')}
     UNION ${sessionOwners('session_video')}) AS f
    WHERE f.patient_id IS NOT NULL`,
);

/**
 * Those of the files that belong to restricted and blocked patients alone: to messages to them, calls and texts from them, or their video
 * sessions. Values: organization, ids of attachments, the numbers of restricted patients.
 */
const RESTRICTED_ATTACHMENTS: Statement<{ id: number }> = statement(
  'restricted_attachments',
  `SELECT f.id FROM (
     SELECT x.attachment_id AS id, coalesce(p.restricted, false) AS restricted
       FROM external_message_attachment x
       JOIN external_message m ON m.organization_id = x.organization_id AND m.id = x.external_message_id
       LEFT JOIN patient p ON p.organization_id = m.organization_id AND p.id = m.patient_id
      WHERE x.organization_id = $1 AND x.attachment_id = ANY ($2::bigint[])
     UNION ALL
     SELECT v.attachment_id, coalesce(p.restricted, v.from_number = ANY ($3::text[]))
       FROM voice_pager_message v LEFT JOIN patient p ON p.organization_id = v.organization_id AND p.id = v.patient_id
      WHERE v.organization_id = $1 AND v.attachment_id = ANY ($2::bigint[])
     UNION ALL
     SELECT g.attachment_id, coalesce(p.restricted, t.from_number = ANY ($3::text[]))
       FROM text_picture g JOIN sms_message t ON t.organization_id = g.organization_id AND t.id = g.sms_message_id
       LEFT JOIN patient p ON p.organization_id = t.organization_id AND p.id = t.patient_id
      WHERE g.organization_id = $1 AND g.attachment_id = ANY ($2::bigint[])
     UNION ALL ${sessionFiles('session_image', 'attachment_id')}
     UNION ALL ${sessionFiles('session_image', 'thumbnail_attachment_id')}
     UNION ALL ${sessionFiles('session_video', 'attachment_id')}
     UNION ALL ${sessionFiles('session_video', 'thumbnail_attachment_id')}) AS f
    GROUP BY f.id HAVING bool_and(f.restricted)`,
);

export interface Attachment extends Omit<StoredFile, 'sha256'> {
  id: number;
  /** Safe to display and to save under: no path, no control characters. */
  fileName: string;
  sha256: Uint8Array;
  uploadedByUserId: number | null;
  createdAt: Date;
}

const PROGRAM = 'Programs, scripts and installers are not accepted.';
const PROGRAM_ISSUE = { issues: [{ field: 'file', code: 'executable_file', message: 'is a program, a script or an installer' }] };

/**
 * Creates an attachment for a stored file.
 * @param name the file name as the client sent it
 * @throws Failure unsupported_media_type for a program whatever its name, and for a name that a computer runs
 */
export async function attachFile(tx: Tx, file: StoredFile, name: string): Promise<Attachment> {
  const fileName = sanitizeFileName(name);
  if (isProgram(file.mediaType) || isNameOfProgram(fileName))
    throw new Failure('unsupported_media_type', 'executable_file', PROGRAM, PROGRAM_ISSUE);
  const { userId: uploadedByUserId } = tx;
  await claimFile(tx, file.storageKey);
  const data = { ...file, sha256: new Uint8Array(file.sha256), ...tx.practice, uploadedByUserId, fileName };
  const attachment = await tx.prisma.attachment.create({ data });
  recordChange(tx, 'create', { name: 'attachment.uploaded', id: attachment.id });
  return attachment;
}

/**
 * Deletes an attachment and, when the transaction has committed, its content. Does nothing where a message, a text, a picture or a recording
 * has it still.
 */
export async function detachFile(tx: Tx, id: number): Promise<void> {
  const none = { none: tx.practice };
  const ofSessions = { sessionImages: none, sessionVideos: none, videoThumbnails: none, imageThumbnails: none };
  const unused = { ...tx.practice, id, externalMessages: none, voiceMessages: none, textPictures: none, ...ofSessions };
  const attachment = await tx.prisma.attachment.findFirst({ where: unused, select: { storageKey: true } });
  if (!attachment) return;
  await tx.prisma.attachment.delete({ where: tx.key(id) });
  await releaseFile(tx, attachment.storageKey);
  recordChange(tx, 'delete', { name: 'attachment.deleted', id });
}

/**
 * Finds one attachment and audits the read, with the patients whom the file is about.
 * @throws Failure not_found, also for a file of restricted and blocked patients alone
 */
export async function findAttachment(tx: Tx, id: number): Promise<Attachment> {
  const attachment = await tx.prisma.attachment.findUnique({ where: tx.key(id) });
  if (!attachment || (await findRestrictedAttachments(tx, [id])).has(id)) throw notFound('attachment');
  const patients = await tx.rows(PATIENTS_OF_ATTACHMENT, [id]);
  recordReadWithPatients(tx, 'attachment', { ids: [id], patientIds: patients.map((patient) => patient.id) }, 'read');
  return attachment;
}

/** Those of the attachments that the caller may not see: files of restricted and blocked patients alone. */
export async function findRestrictedAttachments(tx: Tx, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (maySeeRestricted(tx) || ids.length === 0) return new Set();
  const numbers = await listRestrictedNumbers(tx);
  const rows = await tx.rows(RESTRICTED_ATTACHMENTS, [ids, numbers]);
  return new Set(rows.map(({ id }) => id));
}

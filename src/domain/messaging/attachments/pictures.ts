import type { Db } from '../../../database/database.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import type { StoredFile } from '../../files/stored-files.ts';
import { attachFile, detachFile } from './attachments.ts';
import type { DueTable } from './due-files.ts';

export const PICTURES: DueTable = { table: 'text_picture', url: 'carrier_url', dueAt: 'due_at', attempts: 'attempts' };

const ENDINGS: Record<string, string> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'image/heic': '.heic',
  'video/mp4': '.mp4',
  'video/3gpp': '.3gp',
  'audio/mpeg': '.mp3',
  'application/pdf': '.pdf',
};

/**
 * Attaches a picture to its text.
 * @returns false where the text has it already, or is kept no longer, so the file is not used
 * @throws Failure unsupported_media_type for a program
 */
export async function storePicture(db: Db, caller: Caller, id: number, file: StoredFile): Promise<boolean> {
  const { organizationId } = caller;
  const [waiting] = await db.$queryRaw<{ textId: number }[]>`
    SELECT sms_message_id AS "textId" FROM text_picture
     WHERE organization_id = ${organizationId} AND id = ${id} AND attachment_id IS NULL AND due_at IS NOT NULL FOR NO KEY UPDATE`;
  if (!waiting) return false;
  const { id: attachmentId } = await attachFile(db, caller, file, `picture-${id}${ENDINGS[file.mediaType] ?? ''}`);
  await db.textPicture.update({
    where: { organizationId_id: { organizationId, id } },
    data: { attachmentId, dueAt: null },
    select: { id: true },
  });
  await recordPicture(db, caller, waiting.textId, 'text.picture_fetched');
  return true;
}

/** Marks a picture as lost: it is not tried again. */
export async function abandonPicture(db: Db, caller: Caller, id: number): Promise<void> {
  const [lost] = await db.textPicture.updateManyAndReturn({
    where: { organizationId: caller.organizationId, id, dueAt: { not: null } },
    data: { dueAt: null },
    select: { smsMessageId: true },
  });
  if (lost) await recordPicture(db, caller, lost.smsMessageId, 'text.picture_lost');
}

async function recordPicture(db: Db, caller: Caller, id: number, name: 'text.picture_fetched' | 'text.picture_lost'): Promise<void> {
  const where = { organizationId_id: { organizationId: caller.organizationId, id } };
  const text = await db.smsMessage.findUniqueOrThrow({ where, select: { patientId: true } });
  recordChange(caller, 'update', { name, id, changed: ['pictures'] }, text.patientId === null ? [] : [text.patientId]);
}

export async function removePictures(db: Db, caller: Caller, textIds: readonly number[]): Promise<void> {
  const where = { organizationId: caller.organizationId, smsMessageId: { in: [...textIds] } };
  const pictures = await db.textPicture.findMany({ where, select: { attachmentId: true } });
  await db.textPicture.deleteMany({ where });
  for (const { attachmentId } of pictures) if (attachmentId !== null) await detachFile(db, caller, attachmentId);
}

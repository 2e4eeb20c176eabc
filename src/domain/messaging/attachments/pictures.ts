import { recordChange } from '../../audit/journal-entries.ts';
import type { StoredFile } from '../../files/stored-files.ts';
import type { Tx } from '../../tx.ts';
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
export async function storePicture(tx: Tx, id: number, file: StoredFile): Promise<boolean> {
  const [waiting] = await tx.prisma.$queryRaw<{ textId: number }[]>`
    SELECT sms_message_id AS "textId" FROM text_picture
     WHERE organization_id = ${tx.organizationId} AND id = ${id} AND attachment_id IS NULL AND due_at IS NOT NULL FOR NO KEY UPDATE`;
  if (!waiting) return false;
  const { id: attachmentId } = await attachFile(tx, file, `picture-${id}${ENDINGS[file.mediaType] ?? ''}`);
  await tx.prisma.textPicture.update({
    where: tx.key(id),
    data: { attachmentId, dueAt: null },
    select: { id: true },
  });
  await recordPicture(tx, waiting.textId, 'text.picture_fetched');
  return true;
}

/** Marks a picture as lost: it is not tried again. */
export async function abandonPicture(tx: Tx, id: number): Promise<void> {
  const [lost] = await tx.prisma.textPicture.updateManyAndReturn({
    where: { ...tx.practice, id, dueAt: { not: null } },
    data: { dueAt: null },
    select: { smsMessageId: true },
  });
  if (lost) await recordPicture(tx, lost.smsMessageId, 'text.picture_lost');
}

async function recordPicture(tx: Tx, id: number, name: 'text.picture_fetched' | 'text.picture_lost'): Promise<void> {
  const where = tx.key(id);
  const text = await tx.prisma.smsMessage.findUniqueOrThrow({ where, select: { patientId: true } });
  recordChange(tx, 'update', { name, id, changed: ['pictures'] }, text.patientId === null ? [] : [text.patientId]);
}

export async function removePictures(tx: Tx, textIds: readonly number[]): Promise<void> {
  const where = { ...tx.practice, smsMessageId: { in: [...textIds] } };
  const pictures = await tx.prisma.textPicture.findMany({ where, select: { attachmentId: true } });
  await tx.prisma.textPicture.deleteMany({ where });
  for (const { attachmentId } of pictures) if (attachmentId !== null) await detachFile(tx, attachmentId);
}

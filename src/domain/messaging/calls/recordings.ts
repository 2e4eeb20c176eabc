import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import type { StoredFile } from '../../files/stored-files.ts';
import type { Tx } from '../../tx.ts';
import { attachFile } from '../attachments/attachments.ts';
import type { DueTable } from '../attachments/due-files.ts';

export const RECORDINGS: DueTable = {
  table: 'voice_pager_message',
  url: 'recording_url',
  dueAt: 'recording_due_at',
  attempts: 'recording_attempts',
};

const ENDINGS: Record<string, string> = { 'audio/mpeg': '.mp3', 'audio/wav': '.wav', 'audio/ogg': '.ogg', 'audio/mp4': '.m4a' };

/**
 * Attaches the recording to its message.
 * @returns false where the message already has a recording or needs none, so the file is not used
 */
export async function storeRecording(tx: Tx, id: number, file: StoredFile): Promise<boolean> {
  const [waiting] = await tx.prisma.$queryRaw<unknown[]>`
    SELECT 1 FROM voice_pager_message
     WHERE organization_id = ${tx.organizationId} AND id = ${id} AND attachment_id IS NULL AND recording_due_at IS NOT NULL FOR NO KEY UPDATE`;
  if (!waiting) return false;
  const attachment = await attachFile(tx, file, `voice-message-${id}${ENDINGS[file.mediaType] ?? ''}`);
  const message = await tx.prisma.voicePagerMessage.update({
    where: tx.key(id),
    data: { attachmentId: attachment.id, recordingDueAt: null },
    select: { patientId: true },
  });
  recordChange(tx, 'update', { name: 'voice_message.changed', id, changed: ['attachment'] }, toPatientIds(message));
  return true;
}

/** Marks a recording as lost: it is not tried again. */
export async function abandonRecording(tx: Tx, id: number): Promise<void> {
  const [lost] = await tx.prisma.voicePagerMessage.updateManyAndReturn({
    where: { ...tx.practice, id, recordingDueAt: { not: null } },
    data: { recordingDueAt: null },
    select: { patientId: true },
  });
  if (lost) recordChange(tx, 'update', { name: 'voice_message.recording_lost', id }, toPatientIds(lost));
}

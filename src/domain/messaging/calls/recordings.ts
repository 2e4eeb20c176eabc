import type { Db } from '../../../database/database.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import type { StoredFile } from '../../files/stored-files.ts';
import { attachFile } from '../attachments.ts';

/** Largest recording, in bytes; more than an hour of speech. */
export const MAX_RECORDING_BYTES = 25 * 1024 * 1024;
/** Reached after about two days. */
const MAX_ATTEMPTS = 14;

/** A recording that the carrier has and the practice has not fetched yet. */
export interface DueRecording {
  organizationId: number;
  id: number;
  url: string;
  /** The last attempt: if it fails, the recording is abandoned. */
  isLast: boolean;
}

/**
 * Claims due recordings for one attempt each. Other workers skip them meanwhile. A failed or interrupted attempt is due
 * again after 20 s, then after twice the previous delay, up to six hours.
 */
export async function claimDueRecordings(db: Db, most: number): Promise<DueRecording[]> {
  return db.$queryRaw<DueRecording[]>`
    UPDATE voice_pager_message m
       SET recording_attempts = m.recording_attempts + 1,
           recording_due_at = now() + least(interval '20 seconds' * 2 ^ least(m.recording_attempts, 20), interval '6 hours')
      FROM (SELECT organization_id, id FROM voice_pager_message
             WHERE recording_due_at <= now() ORDER BY recording_due_at LIMIT ${most} FOR UPDATE SKIP LOCKED) due
     WHERE m.organization_id = due.organization_id AND m.id = due.id
    RETURNING m.organization_id AS "organizationId", m.id, m.recording_url AS url, m.recording_attempts >= ${MAX_ATTEMPTS} AS "isLast"`;
}

const ENDINGS: Record<string, string> = { 'audio/mpeg': '.mp3', 'audio/wav': '.wav', 'audio/ogg': '.ogg', 'audio/mp4': '.m4a' };

/**
 * Attaches the recording to its message.
 * @returns false where the message already has a recording or needs none, so the file is not used
 */
export async function storeRecording(db: Db, caller: Caller, id: number, file: StoredFile): Promise<boolean> {
  const { organizationId } = caller;
  const [waiting] = await db.$queryRaw<unknown[]>`
    SELECT 1 FROM voice_pager_message
     WHERE organization_id = ${organizationId} AND id = ${id} AND attachment_id IS NULL AND recording_due_at IS NOT NULL FOR NO KEY UPDATE`;
  if (!waiting) return false;
  const attachment = await attachFile(db, caller, file, `voice-message-${id}${ENDINGS[file.mediaType] ?? ''}`);
  await db.voicePagerMessage.update({
    where: { organizationId_id: { organizationId, id } },
    data: { attachmentId: attachment.id, recordingDueAt: null },
  });
  recordChange(caller, 'update', { name: 'voice_message.changed', id, changed: ['attachment'] });
  return true;
}

/** Marks a recording as lost: it is not tried again. */
export async function abandonRecording(db: Db, caller: Caller, id: number): Promise<void> {
  const { count } = await db.voicePagerMessage.updateMany({
    where: { organizationId: caller.organizationId, id, recordingDueAt: { not: null } },
    data: { recordingDueAt: null },
  });
  if (count > 0) recordChange(caller, 'update', { name: 'voice_message.recording_lost', id });
}

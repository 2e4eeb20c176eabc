import { databaseTime } from '../../../database/clock.ts';
import type { Db } from '../../../database/database.ts';
import { overAllPractices } from '../../../database/statements/all-practices.ts';
import { patientsOf, recordChange } from '../../audit/journal-entries.ts';
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

/** Milliseconds after which a failed or interrupted attempt is due again: each time twice the delay before. */
const delayAfter = (attempts: number): number => Math.min(20_000 * 2 ** Math.min(attempts, 20), 6 * 3_600_000);

/** Claims due recordings for one attempt each: another worker that has found the same ones gets none of them. */
export async function claimDueRecordings(db: Db, most: number): Promise<DueRecording[]> {
  const due = await db.$queryRaw<{ organizationId: number; id: number; attempts: number }[]>`
    SELECT organization_id AS "organizationId", id, recording_attempts AS attempts FROM voice_pager_message m
     WHERE recording_due_at <= now() ORDER BY recording_due_at LIMIT ${most} ${overAllPractices('the job looks for what is due')}`;
  if (due.length === 0) return [];
  const now = (await databaseTime(db)).getTime();
  const claimed: DueRecording[] = [];
  for (const { organizationId, id, attempts } of due) {
    const rows = await db.$queryRaw<DueRecording[]>`
      UPDATE voice_pager_message
         SET recording_attempts = recording_attempts + 1, recording_due_at = ${new Date(now + delayAfter(attempts))}::timestamptz
       WHERE organization_id = ${organizationId} AND id = ${id} AND recording_attempts = ${attempts} AND recording_due_at IS NOT NULL
      RETURNING organization_id AS "organizationId", id, recording_url AS url, recording_attempts >= ${MAX_ATTEMPTS} AS "isLast"`;
    claimed.push(...rows);
  }
  return claimed;
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
  const message = await db.voicePagerMessage.update({
    where: { organizationId_id: { organizationId, id } },
    data: { attachmentId: attachment.id, recordingDueAt: null },
    select: { patientId: true },
  });
  recordChange(caller, 'update', { name: 'voice_message.changed', id, changed: ['attachment'] }, patientsOf(message));
  return true;
}

/** Marks a recording as lost: it is not tried again. */
export async function abandonRecording(db: Db, caller: Caller, id: number): Promise<void> {
  const [lost] = await db.voicePagerMessage.updateManyAndReturn({
    where: { organizationId: caller.organizationId, id, recordingDueAt: { not: null } },
    data: { recordingDueAt: null },
    select: { patientId: true },
  });
  if (lost) recordChange(caller, 'update', { name: 'voice_message.recording_lost', id }, patientsOf(lost));
}

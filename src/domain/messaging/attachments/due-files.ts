import { databaseTime } from '../../../database/clock.ts';
import type { Db } from '../../../database/database.ts';
import { overAllPractices } from '../../../database/statements/all-practices.ts';
import { Prisma } from '../../../generated/prisma/client.ts';

/** Largest file that is fetched from the carrier, in bytes: that of an upload; more than an hour of speech. */
export const MAX_FETCHED_BYTES = 25 * 1024 * 1024;
/** Reached after about two days. */
const MAX_ATTEMPTS = 14;

/** A file that the carrier has and the practice has not fetched yet. */
export interface DueFile {
  organizationId: number;
  /** Of the row that names it. */
  id: number;
  url: string;
  /** The last attempt: if it fails, the file is abandoned. */
  isLast: boolean;
}

/** A table whose rows name files at the carrier. */
export interface DueTable {
  table: 'voice_pager_message' | 'text_picture';
  url: 'recording_url' | 'carrier_url';
  dueAt: 'recording_due_at' | 'due_at';
  attempts: 'recording_attempts' | 'attempts';
}

/** Milliseconds after which a failed or interrupted attempt is due again: each time twice the delay before. */
const delayAfter = (attempts: number): number => Math.min(20_000 * 2 ** Math.min(attempts, 20), 6 * 3_600_000);

/** Claims due files for one attempt each: another worker that has found the same ones gets none of them. */
export async function claimDueFiles(db: Db, of: DueTable, most: number): Promise<DueFile[]> {
  const [table, url, dueAt, attempts] = [of.table, of.url, of.dueAt, of.attempts].map((name) => Prisma.raw(name));
  const due = await db.$queryRaw<{ organizationId: number; id: number; made: number }[]>`
    SELECT organization_id AS "organizationId", id, ${attempts} AS made FROM ${table} m
     WHERE ${dueAt} <= now() ORDER BY ${dueAt} LIMIT ${most} ${overAllPractices('the job looks for what is due')}`;
  if (due.length === 0) return [];
  const now = (await databaseTime(db)).getTime();
  const claimed: DueFile[] = [];
  for (const { organizationId, id, made } of due) {
    const rows = await db.$queryRaw<DueFile[]>`
      UPDATE ${table} SET ${attempts} = ${attempts} + 1, ${dueAt} = ${new Date(now + delayAfter(made))}::timestamptz
       WHERE organization_id = ${organizationId} AND id = ${id} AND ${attempts} = ${made} AND ${dueAt} IS NOT NULL
      RETURNING organization_id AS "organizationId", id, ${url} AS url, ${attempts} >= ${MAX_ATTEMPTS} AS "isLast"`;
    claimed.push(...rows);
  }
  return claimed;
}

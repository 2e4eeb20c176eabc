import { readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../../config/start-errors.ts';
import { databaseErrorCode, isDatabaseUnreachable } from '../errors.ts';

/** PostgreSQL writes its log of changes in files of this many bytes. Without room for the next one it ends all its connections. */
const SEGMENT_BYTES = 16 * 1024 * 1024;

/** The lines that PostgreSQL writes for a person, since its start. */
export const logFile = (folder: string): string => join(folder, 'database.log');

export const diskFull = (folder: string): StartError =>
  new StartError(`The disk is full: there is no room for a database in ${folder}. Free up space, and start again.`);

/** Whether PostgreSQL has ended a connection, or itself, because there was no room: its clients only see that it is gone. */
export async function endedWithoutRoom(folder: string): Promise<boolean> {
  const text = await readFile(logFile(folder), 'utf8').catch(() => '');
  return /(?:PANIC|FATAL): .*(?:No space left on device|Disk quota exceeded)/.test(text);
}

/**
 * Why an embedded database is gone, where the disk is the reason: its log says so, or had no room either.
 * @param folder that of the database; left out where it is not embedded
 * @returns null where the reason is another one
 */
export async function lackOfRoom(folder: string | undefined): Promise<StartError | null> {
  if (folder === undefined) return null;
  const disk = await statfs(folder).catch(() => null);
  const isFull = (disk !== null && disk.bavail * disk.bsize < SEGMENT_BYTES) || (await endedWithoutRoom(folder));
  return isFull ? diskFull(folder) : null;
}

/** As lackOfRoom, for an error of a start: the database may have said so, or have gone. @returns null where the disk is not the reason */
export async function reasonOnDisk(error: unknown, folder: string | undefined): Promise<StartError | null> {
  const cause = error instanceof StartError ? error.cause : error;
  if (folder !== undefined && databaseErrorCode(cause) === '53100') return diskFull(folder);
  return isDatabaseUnreachable(cause) ? lackOfRoom(folder) : null;
}

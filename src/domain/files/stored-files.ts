import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Db } from '../../database/database.ts';
import { isDiskFull } from '../../database/errors.ts';
import { overAllPractices } from '../../database/statements/all-practices.ts';
import type { Files } from '../../gateways/files/files.ts';
import { Failure, noRoom, unavailable } from '../errors.ts';
import type { Tx } from '../tx.ts';
import { createTypeDetector } from './file-types.ts';

export interface StoredFile {
  storageKey: string;
  /** Detected from the content. */
  mediaType: string;
  byteLength: number;
  sha256: Buffer;
}

/** The storage of contents and the database that records them. */
export interface FileStore {
  db: Db;
  files: Files;
}

export const tooLarge = (largest: number): Failure =>
  new Failure('too_large', 'file_too_large', `The file is larger than ${Math.floor(largest / 1024 / 1024)} MiB.`);

/**
 * Stores a stream before the transaction that will refer to it. Until that transaction claims it, or it is discarded, it is
 * recorded as unclaimed, so that no failure leaves orphaned contents.
 * @param largest bytes
 * @throws Failure too_large; invalid if the stream ends early; unavailable if the storage fails
 */
export async function storeFile({ db, files }: FileStore, organizationId: number, content: Readable, largest: number): Promise<StoredFile> {
  const storageKey = `${organizationId}/${randomUUID()}`;
  await db.unclaimedFile.create({ data: { organizationId, storageKey } });
  const type = createTypeDetector();
  const measured = measure(content, largest, (bytes) => type.add(bytes));
  try {
    await files.write(storageKey, Readable.from(measured.bytes(), { objectMode: false }));
  } catch (error) {
    await discardFile({ db, files }, organizationId, storageKey);
    const failure = toIncompleteFileFailure(content, error);
    if (failure instanceof Failure) throw failure;
    throw isDiskFull(error) ? noRoom(error) : unavailable('The file cannot be stored now. Try again in a moment.', error);
  }
  return { storageKey, mediaType: await type.detect(), ...measured.found() };
}

/**
 * Counts and hashes a stream while it is read through `bytes`.
 * @param largest bytes; more is a Failure too_large
 * @param onChunk is called with each chunk
 */
export function measure(content: Readable, largest: number, onChunk: (bytes: Buffer) => void = () => {}) {
  const hash = createHash('sha256');
  let byteLength = 0;
  return {
    async *bytes(): AsyncGenerator<Buffer, void> {
      for await (const chunk of content) {
        const bytes = Buffer.from(chunk);
        byteLength += bytes.length;
        if (byteLength > largest) throw tooLarge(largest);
        hash.update(bytes);
        onChunk(bytes);
        yield bytes;
      }
    },
    /** Called after the last chunk. */
    found: () => ({ byteLength, sha256: hash.digest() }),
  };
}

/** Turns an error of a stream into a Failure invalid if the stream ended early; returns any other error unchanged. */
export function toIncompleteFileFailure(content: Readable, error: unknown): unknown {
  if (error instanceof Failure || !content.errored) return error;
  return new Failure('invalid', 'incomplete_file', 'The file did not arrive completely.', { cause: error });
}

/** Runs in the transaction of the row that refers to the file. @throws Failure unavailable if the file was deleted meanwhile */
export async function claimFile(tx: Tx, storageKey: string): Promise<void> {
  const { count } = await tx.prisma.unclaimedFile.deleteMany({ where: { ...tx.practice, storageKey } });
  if (count === 0) throw unavailable('The file is no longer stored. Send it again.');
}

/** Milliseconds for which a file may be unclaimed before the clean-up job deletes it. */
const UNCLAIMED_MS = 24 * 3_600_000;

/** Runs in the transaction that deletes the row which refers to the file: the next run of the clean-up job deletes the file. */
export async function releaseFile(tx: Tx, storageKey: string): Promise<void> {
  await tx.prisma.unclaimedFile.create({
    data: { ...tx.practice, storageKey, createdAt: new Date(Date.now() - UNCLAIMED_MS) },
  });
}

/** Deletes a file unless a row refers to it. After a failure the clean-up job deletes it. */
export async function discardFile(store: FileStore, organizationId: number, storageKey: string): Promise<void> {
  await removeUnclaimed(store, organizationId, storageKey).catch(() => {});
}

async function removeUnclaimed({ db, files }: FileStore, organizationId: number, storageKey: string): Promise<void> {
  // Waits for a transaction that may still claim the file.
  const unclaimed = await db.$queryRaw<unknown[]>`
    SELECT 1 FROM unclaimed_file WHERE organization_id = ${organizationId} AND storage_key = ${storageKey} FOR UPDATE`;
  if (unclaimed.length === 0) return;
  await files.remove(storageKey);
  await db.unclaimedFile.deleteMany({ where: { organizationId, storageKey } });
}

/** Rows of one query. */
const BATCH = 100;

/** Deletes files that were not claimed within a day: from uploads whose server ended. Several processes may run it together. */
export async function removeUnclaimedFiles(store: FileStore): Promise<void> {
  const failures: unknown[] = [];
  for (let last: { organizationId: number; storageKey: string } | undefined; ; ) {
    const after = last;
    const rows = await store.db.$queryRaw<{ organizationId: number; storageKey: string }[]>`
      SELECT organization_id AS "organizationId", storage_key AS "storageKey" FROM unclaimed_file f
       WHERE created_at < now() - interval '1 day'
         AND (organization_id, storage_key) > (${after?.organizationId ?? 0}, ${after?.storageKey ?? ''})
       ORDER BY organization_id, storage_key LIMIT ${BATCH}
       ${overAllPractices('the clean-up looks for what is old')}`;
    // A failure of one file must not stop the others.
    for (const row of rows)
      await removeUnclaimed(store, row.organizationId, row.storageKey).catch((error: unknown) => failures.push(error));
    last = rows.at(-1);
    if (last === undefined) break;
  }
  if (failures.length > 0) throw failures[0];
}

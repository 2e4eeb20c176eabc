import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Db } from '../../database/database.ts';
import type { Files } from '../../gateways/files.ts';
import type { Caller } from '../caller.ts';
import { Failure, unavailable } from '../errors.ts';
import { createTypeFinder } from './file-types.ts';

/** Bytes that lie behind the files gateway. */
export interface StoredFile {
  storageKey: string;
  /** Found from the content. */
  mediaType: string;
  byteLength: number;
  sha256: Buffer;
}

/** Where bytes go, and where it is written down that they lie there. */
export interface FileStore {
  db: Db;
  files: Files;
}

export const tooLarge = (largest: number): Failure =>
  new Failure('too_large', 'file_too_large', `The file is larger than ${Math.floor(largest / 1024 / 1024)} MiB.`);

/**
 * Stores what flows in, before the transaction that will name it. Until that has claimed it, or it was discarded, it is
 * on the list of what nobody claimed, so that no failure leaves bytes that nobody knows of.
 * @param largest bytes
 * @throws Failure too_large; invalid where the content ends too early; unavailable where nothing can be stored now
 */
export async function storeFile({ db, files }: FileStore, organizationId: number, content: Readable, largest: number): Promise<StoredFile> {
  const storageKey = `${organizationId}/${randomUUID()}`;
  await db.unclaimedFile.create({ data: { organizationId, storageKey } });
  const type = createTypeFinder();
  const measured = measure(content, largest, (bytes) => type.see(bytes));
  try {
    await files.write(storageKey, Readable.from(measured.bytes(), { objectMode: false }));
  } catch (error) {
    await discardFile({ db, files }, organizationId, storageKey);
    const failure = asIncomplete(content, error);
    throw failure instanceof Failure ? failure : unavailable('The file cannot be stored now. Try again in a moment.', error);
  }
  return { storageKey, mediaType: await type.found(), ...measured.found() };
}

/**
 * Counts and hashes content while it flows to wherever `bytes` is read.
 * @param largest bytes; more is a Failure too_large
 * @param see is shown all of it
 */
export function measure(content: Readable, largest: number, see: (bytes: Buffer) => void = () => {}) {
  const hash = createHash('sha256');
  let byteLength = 0;
  return {
    async *bytes(): AsyncGenerator<Buffer, void> {
      for await (const chunk of content) {
        const bytes = Buffer.from(chunk);
        byteLength += bytes.length;
        if (byteLength > largest) throw tooLarge(largest);
        hash.update(bytes);
        see(bytes);
        yield bytes;
      }
    },
    /** Once all has flowed. */
    found: () => ({ byteLength, sha256: hash.digest() }),
  };
}

/** What went wrong while content flowed: a Failure invalid where it ended too early, else the error itself. */
export function asIncomplete(content: Readable, error: unknown): unknown {
  if (error instanceof Failure || !content.errored) return error;
  return new Failure('invalid', 'incomplete_file', 'The file did not arrive whole.', { cause: error });
}

/** In the transaction of the row that names the file from now on. @throws Failure unavailable where it was taken away meanwhile */
export async function claimFile(db: Db, { organizationId }: Caller, storageKey: string): Promise<void> {
  const { count } = await db.unclaimedFile.deleteMany({ where: { organizationId, storageKey } });
  if (count === 0) throw unavailable('The file was not kept long enough. Send it again.');
}

/** Takes a file away unless a row names it. What cannot be done now is left to the cleaning up. */
export async function discardFile(store: FileStore, organizationId: number, storageKey: string): Promise<void> {
  await removeUnclaimed(store, organizationId, storageKey).catch(() => {});
}

async function removeUnclaimed({ db, files }: FileStore, organizationId: number, storageKey: string): Promise<void> {
  // Waits for a transaction that may still claim it: its answer may have been lost on the way.
  const unclaimed = await db.$queryRaw<unknown[]>`
    SELECT 1 FROM unclaimed_file WHERE organization_id = ${organizationId} AND storage_key = ${storageKey} FOR UPDATE`;
  if (unclaimed.length === 0) return;
  await files.remove(storageKey);
  await db.unclaimedFile.deleteMany({ where: { organizationId, storageKey } });
}

/** So many at a time. */
const BATCH = 100;

/** Takes away what nobody claimed for a day: of uploads that ended with their server. Several processes may do so at once. */
export async function removeAbandoned(store: FileStore): Promise<void> {
  const failures: unknown[] = [];
  for (let last: { organizationId: number; storageKey: string } | undefined; ; ) {
    const rows = await store.db.$queryRaw<{ organizationId: number; storageKey: string }[]>`
      SELECT organization_id AS "organizationId", storage_key AS "storageKey" FROM unclaimed_file
       WHERE created_at < now() - interval '1 day'
         AND (organization_id, storage_key) > (${last?.organizationId ?? 0}, ${last?.storageKey ?? ''})
       ORDER BY organization_id, storage_key LIMIT ${BATCH}`;
    // One that cannot be removed does not keep the others.
    for (const row of rows)
      await removeUnclaimed(store, row.organizationId, row.storageKey).catch((error: unknown) => failures.push(error));
    last = rows.at(-1);
    if (last === undefined) break;
  }
  if (failures.length > 0) throw failures[0];
}

import { Readable } from 'node:stream';
import type { CallerIdentity } from '../caller.ts';
import { conflict, Failure, invalid } from '../errors.ts';
import { claimFile, discardFile, type FileStore, releaseFile, storeFile, toIncompleteFileFailure } from '../files/stored-files.ts';
import type { Tx } from '../tx.ts';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts';
import { endImport, findImport, type ImportRun } from './import-runs.ts';
import { unpack } from './rows/read-rows.ts';

/** Bytes of an uploaded file, packed or not, at most. */
const LARGEST_UPLOAD = 1024 * 1024 * 1024;

/** Bytes of a part that is stored by itself: what arrived before it is kept where the connection breaks. */
const PART_BYTES = 4 * 1024 * 1024;

interface Receiving {
  unitOfWork: UnitOfWork;
  store: FileStore;
}

/** @throws Failure too_large */
export function requireSize(bytes: number): void {
  if (bytes > LARGEST_UPLOAD)
    throw new Failure('too_large', 'import_too_large', 'The uncompressed file is larger than 1 GiB. Split it, and import the parts.');
}

/**
 * Checks that a body may follow what has arrived.
 * @param announced bytes of the body, where they are known
 * @throws Failure conflict for another offset or a file that is whole, too_large
 */
export function requirePlace(run: ImportRun, offset: number | null, announced: number | null): void {
  if (run.state !== 'receiving') throw conflict('upload_ended', 'The file has already arrived, or its import has ended.');
  if (offset !== run.receivedBytes)
    throw conflict('wrong_offset', `must be ${run.receivedBytes}, the number of bytes that have arrived`, 'Upload-Offset');
  requireRoom(run, run.receivedBytes + (announced ?? 0));
}

/** @throws Failure too_large, invalid for more bytes than were announced */
function requireRoom({ totalBytes }: ImportRun, bytes: number): void {
  requireSize(bytes);
  if (totalBytes !== null && bytes > totalBytes)
    throw invalid('Upload-Length', `was ${totalBytes}, and more bytes arrive`, 'too_many_bytes');
}

/**
 * Stores a body behind what has arrived. A body that ends early stays as far as it came.
 * @returns the import, which is to be run if its file is whole
 * @throws Failure invalid for a body that ended early, too_large also for the unpacked file
 */
export async function receive(deps: Receiving, caller: CallerIdentity, run: ImportRun, content: Readable): Promise<ImportRun> {
  let current = run;
  try {
    for await (const part of splitParts(content)) {
      requireRoom(current, current.receivedBytes + part.length);
      current = await storePart(deps, caller, current, part);
    }
  } catch (error) {
    if (error instanceof Failure && error.kind === 'too_large') await failUpload(deps, caller, run.id, error);
    throw toIncompleteFileFailure(content, error);
  }
  const isWhole = current.receivedBytes === (current.totalBytes ?? current.receivedBytes) && current.receivedBytes > 0;
  return isWhole ? completeUpload(deps, caller, current) : current;
}

/** Pieces of PART_BYTES, and what came last, also before an error. */
async function* splitParts(content: Readable): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of content) {
      waiting.push(Buffer.from(chunk));
      length += waiting.at(-1)?.length ?? 0;
      if (length < PART_BYTES) continue;
      yield Buffer.concat(waiting);
      waiting = [];
      length = 0;
    }
  } catch (error) {
    if (length > 0) yield Buffer.concat(waiting);
    throw error;
  }
  if (length > 0) yield Buffer.concat(waiting);
}

async function storePart({ unitOfWork, store }: Receiving, caller: CallerIdentity, run: ImportRun, part: Buffer): Promise<ImportRun> {
  const { organizationId, id, receivedBytes: position } = run;
  const { storageKey } = await storeFile(store, organizationId, Readable.from([part], { objectMode: false }), PART_BYTES * 2);
  try {
    const receivedBytes = position + part.length;
    await unitOfWork.write(caller, async (tx) => {
      const { count } = await tx.prisma.importRun.updateMany({
        where: { organizationId, id, receivedBytes: position, state: 'receiving' },
        data: { receivedBytes, touchedAt: new Date() },
      });
      if (count === 0) throw conflict('upload_elsewhere', 'Another request is sending this file.');
      await claimFile(tx, storageKey);
      await tx.prisma.importPart.create({ data: { organizationId, importId: id, position, byteLength: part.length, storageKey } });
    });
    return { ...run, receivedBytes };
  } catch (error) {
    await discardFile(store, organizationId, storageKey);
    throw error;
  }
}

/** Lets the import of a file run that has arrived. @throws Failure too_large where it is larger unpacked; the import has failed then */
async function completeUpload(deps: Receiving, caller: CallerIdentity, run: ImportRun): Promise<ImportRun> {
  const { organizationId, id, receivedBytes: totalBytes } = run;
  try {
    let bytes = 0;
    for await (const { length } of unpack(readUpload(deps.store, run))) {
      bytes += length;
      requireSize(bytes);
    }
  } catch (error) {
    if (error instanceof Failure) await failUpload(deps, caller, id, error);
    throw error;
  }
  return deps.unitOfWork.write(caller, async (tx) => {
    const data = { state: 'running', totalBytes, touchedAt: new Date() };
    await tx.prisma.importRun.updateMany({ where: { organizationId, id, state: 'receiving' }, data });
    return findImport(tx, id);
  });
}

const failUpload = ({ unitOfWork }: Receiving, caller: CallerIdentity, id: number, { message }: Failure) =>
  unitOfWork.write(caller, (tx) => endUpload(tx, id, message));

/** The bytes that have arrived. */
export async function* readUpload({ db, files }: FileStore, { organizationId, id }: ImportRun): AsyncGenerator<Uint8Array> {
  const parts = await db.importPart.findMany({ where: { organizationId, importId: id }, orderBy: { position: 'asc' } });
  for (const { storageKey } of parts) yield* await files.read(storageKey);
}

export async function endUpload(tx: Tx, id: number, failure: string | null): Promise<ImportRun> {
  const where = { ...tx.practice, importId: id };
  const parts = await tx.prisma.importPart.findMany({ where, select: { storageKey: true } });
  await Promise.all(parts.map(({ storageKey }) => releaseFile(tx, storageKey)));
  await tx.prisma.importPart.deleteMany({ where });
  return endImport(tx, id, failure);
}

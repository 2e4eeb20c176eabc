import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { measure, pipeThrough, splitChunks } from '../gateways/files/streams.ts';
import { type BackupKeys, type Manifest, type Part, partKey, unreadable } from './manifest.ts';
import type { BackupPlace } from './places/backup-place.ts';
import { NotOpened, seal, unseal } from './sealed-stream.ts';

/** Bytes that are compressed at a time. */
const CHUNK = 128 * 1024;

export interface OpenBackup {
  place: BackupPlace;
  folder: string;
  keys: BackupKeys;
  manifest: Pick<Manifest, 'key'>;
}

/** Compresses, encrypts and stores a stream, without holding it in memory. */
export async function writePart(backup: OpenBackup, name: string, content: AsyncIterable<Uint8Array>): Promise<Part> {
  const compress = createZstdCompress({ chunkSize: CHUNK, params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  const compressed = pipeThrough(splitChunks(content, CHUNK), compress);
  const measured = measure(seal(compressed, partKey(backup.keys, backup.manifest, name)));
  await backup.place.write(backup.folder, name, measured.bytes);
  return { part: name, ...measured.found() };
}

/** Reads what writePart stored. The end is only reached where all of it is as it was written. @throws Failure backup_unreadable */
export async function* readPart(backup: OpenBackup, { part, bytes, sha256 }: Part): AsyncGenerator<Uint8Array> {
  const stored = await backup.place.read(backup.folder, part);
  if (stored === null) throw unreadable(`${part} is missing.`);
  const measured = measure(stored);
  try {
    yield* pipeThrough(unseal(measured.bytes, partKey(backup.keys, backup.manifest, part)), createZstdDecompress());
  } catch (error) {
    if (error instanceof NotOpened || isOfZstd(error)) throw unreadable(`${part} was changed or cut off.`);
    throw error;
  }
  const found = measured.found();
  if (found.bytes !== bytes || found.sha256 !== sha256) throw unreadable(`${part} differs from the manifest.`);
}

const isOfZstd = (error: unknown) => error instanceof Error && 'code' in error && String(error.code).startsWith('ZSTD_');

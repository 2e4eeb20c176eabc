import type { UploadProgress } from './bodies.ts';
import type { Client } from './client.ts';
import { hasCode, TriptychError } from './errors.ts';
import { sleep } from './retries.ts';

export interface ImportOptions {
  client: Client;
  /** CSV or NDJSON, either packed by gzip. */
  file: Blob;
  /** As for `importFile` of triptych-client/platform: `kind`, `on_match`, `dry_run`, `mapping`. */
  query: { kind: string; on_match?: string; dry_run?: boolean; mapping?: string };
  onProgress?: (progress: UploadProgress) => void;
  /** Bytes a request; 4 MiB by default. */
  partBytes?: number;
  signal?: AbortSignal;
}

interface Started {
  data: { id: number; received_bytes: number };
}

/** Connections that may be lost one after the other before the upload ends with the error. */
const MOST_LOSSES = 8;

/**
 * Sends a large file for an import in parts, and goes on after a lost connection where the server stopped.
 * @returns id of the import, whose state and report tell what became of its rows
 */
export async function uploadImport({ client, file, query, onProgress, partBytes = 2 ** 22, signal }: ImportOptions): Promise<number> {
  const common = signal ? { signal } : {};
  const { data } = await client.post<{ 200: Started }>({
    url: '/platform/v1/imports',
    query,
    headers: { 'Upload-Length': file.size },
    ...common,
  });
  const path = { id: data.id };
  let sent = 0;
  for (let losses = 0; sent < file.size; ) {
    onProgress?.({ sent, total: file.size });
    try {
      const { data: now } = await client.patch<{ 200: Started }>({
        url: '/platform/v1/imports/{id}',
        path,
        headers: { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': sent },
        body: file.slice(sent, sent + partBytes),
        bodySerializer: null,
        ...common,
      });
      sent = now.received_bytes;
      losses = 0;
    } catch (error) {
      losses += 1;
      if (signal?.aborted || losses > MOST_LOSSES || (error instanceof TriptychError && !hasCode(error, 'wrong_offset'))) throw error;
      await sleep(Math.min(20_000, 500 * 2 ** losses) * Math.random(), signal);
      sent = (await client.get<{ 200: Started }>({ url: '/platform/v1/imports/{id}', path, ...common })).data.received_bytes;
    }
  }
  onProgress?.({ sent, total: file.size });
  return data.id;
}

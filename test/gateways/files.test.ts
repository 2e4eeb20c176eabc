import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createFiles } from '../../src/gateways/files/create-files.ts';
import { FileMissing, type Files } from '../../src/gateways/files/files.ts';
import { BUCKET, startS3 } from '../support/s3-server.ts';
import { isUpkeep } from '../support/upkeep.ts';

const MEBIBYTE = 1024 * 1024;

let folder: string;
let s3: Awaited<ReturnType<typeof startS3>>;
let kinds: Record<'local' | 's3', Files>;
const credentials = { FILES_S3_ACCESS_KEY_ID: 'S3RVER', FILES_S3_SECRET_ACCESS_KEY: 'S3RVER' };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triptych-files-'));
  s3 = await startS3();
  const config = (env: object) => readConfig({ NODE_ENV: 'test', DATA_DIR: folder, ...env });
  kinds = {
    local: await createFiles(config({})),
    s3: await createFiles(config({ TRIPTYCH_FILES: 's3', FILES_S3_BUCKET: BUCKET, FILES_S3_ENDPOINT: s3.endpoint, ...credentials })),
  };
});
afterAll(async () => {
  await s3.close();
  await rm(folder, { recursive: true, force: true });
});

const newKey = () => `7/${randomUUID()}`;
const createBytes = (length: number) => Buffer.from(Array.from({ length: Math.min(length, 65_521) }, (_, at) => (at * 31) % 251));
/** Content in pieces, as from a network. */
function* pieces(length: number): Generator<Buffer> {
  const piece = createBytes(65_521);
  for (let left = length; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
}
const createContent = (length: number) => Buffer.concat([...pieces(length)], length);
const flowing = (length: number) => Readable.from(pieces(length), { objectMode: false });

describe.each(['local', 's3'] as const)('%s files', (kind) => {
  it('are of the kind that the configuration names', () => {
    expect(kinds[kind].name).toBe(kind);
  });

  it.each([0, 100_000, 5 * MEBIBYTE + 1, ...(isUpkeep ? [1, 5 * MEBIBYTE - 1, 5 * MEBIBYTE, 12 * MEBIBYTE] : [])])(
    'give back %d bytes as they were',
    async (length) => {
      const key = newKey();
      await kinds[kind].write(key, flowing(length));
      expect((await buffer(await kinds[kind].read(key))).equals(createContent(length))).toBe(true);
    },
  );

  it('give back a range, both ends included', async () => {
    const key = newKey();
    await kinds[kind].write(key, flowing(100_000));
    for (const [start, end] of [
      // (The S3 server of this test treats an end of 0 as none.)
      [0, 1],
      [10, 19],
      [99_990, 99_999],
    ] as const) {
      const range = await buffer(await kinds[kind].read(key, { start, end }));
      expect(range.equals(createContent(100_000).subarray(start, end + 1)), `${start}-${end}`).toBe(true);
    }
  });

  it('say which are missing', async () => {
    await expect(kinds[kind].read(newKey())).rejects.toBeInstanceOf(FileMissing);
  });

  it('are gone once they are removed, and may be removed again', async () => {
    const key = newKey();
    await kinds[kind].write(key, flowing(10));
    await kinds[kind].remove(key);
    await kinds[kind].remove(key);
    await expect(kinds[kind].read(key)).rejects.toBeInstanceOf(FileMissing);
  });

  it.each([100_000, 6 * MEBIBYTE])('are not there when what flows in breaks off after %d bytes', async (length) => {
    const key = newKey();
    async function* breaking() {
      yield* pieces(length);
      throw new Error('broke off');
    }
    await expect(kinds[kind].write(key, Readable.from(breaking(), { objectMode: false }))).rejects.toThrow('broke off');
    await expect(kinds[kind].read(key)).rejects.toBeInstanceOf(FileMissing);
  });
});

describe('local files', () => {
  it('can be read by their owner alone, and leave nothing half written', async () => {
    const key = newKey();
    await kinds.local.write(key, flowing(10));
    const place = join(folder, 'files', key);
    expect((await stat(place)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'files'))).mode & 0o777).toBe(0o700);
    expect((await readFile(place)).length).toBe(10);
    expect((await readdir(join(folder, 'files', '7'))).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  it.each(['../x', '7/../../x', '7', '/etc/passwd', '7/x.partial', ''])('have no key such as %j', async (key) => {
    await expect(kinds.local.write(key, flowing(1))).rejects.toThrow('no key');
    await expect(kinds.local.read(key)).rejects.toThrow('no key');
    await expect(kinds.local.remove(key)).rejects.toThrow('no key');
  });

  it('that a killed server left half written go with their key', async () => {
    const key = newKey();
    const half = join(folder, 'files', `${key}.partial`);
    await mkdir(join(folder, 'files', '7'), { recursive: true });
    await writeFile(half, 'x');
    await kinds.local.remove(key);
    await expect(stat(half)).rejects.toThrow('ENOENT');
  });
});

/** A bucket that accepts uploads in parts and counts them, or refuses the parts. */
async function startBucket({ refusesParts = false } = {}) {
  const asked: string[] = [];
  const seen = { received: 0 };
  const server = createServer(async (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://here');
    asked.push(`${request.method} ${[...searchParams.keys()].filter((name) => name !== 'x-id').join(' ')}`);
    for await (const chunk of request) seen.received += chunk.length;
    if (searchParams.has('uploads')) {
      response.end('<?xml version="1.0"?><InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>');
    } else if (request.method === 'POST') {
      response.end('<?xml version="1.0"?><CompleteMultipartUploadResult><ETag>"e"</ETag></CompleteMultipartUploadResult>');
    } else if (request.method === 'DELETE') response.writeHead(204).end();
    else response.writeHead(refusesParts ? 403 : 200, { etag: '"e"' }).end();
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const config = { NODE_ENV: 'test', TRIPTYCH_FILES: 's3', FILES_S3_BUCKET: BUCKET, FILES_S3_ENDPOINT: endpoint, ...credentials };
  return { files: await createFiles(readConfig({ ...config, DATA_DIR: folder })), asked, seen };
}

describe('S3 files', () => {
  it('leave no parts behind where the bucket refuses one of them', async () => {
    const { files, asked } = await startBucket({ refusesParts: true });
    await expect(files.write(newKey(), flowing(12 * MEBIBYTE))).rejects.toThrow();
    expect([asked.at(0), asked.at(-1)]).toEqual(['POST uploads', 'DELETE uploadId']);
  });

  it('hold no more than three parts in memory, however large the file is', async () => {
    const { files, seen } = await startBucket();
    let taken = 0;
    let mostHeld = 0;
    async function* watched() {
      for (const piece of pieces(64 * MEBIBYTE)) {
        taken += piece.length;
        mostHeld = Math.max(mostHeld, taken - seen.received);
        yield piece;
      }
    }
    await files.write(newKey(), Readable.from(watched(), { objectMode: false }));
    expect(taken).toBe(64 * MEBIBYTE);
    expect(mostHeld).toBeLessThan(15 * MEBIBYTE + 200_000);
  });

  it.each([
    [{ TRIPTYCH_FILES: 's3' }, 'FILES_S3_BUCKET: must be set if TRIPTYCH_FILES is s3'],
    [{ TRIPTYCH_FILES: 'ftp' }, 'TRIPTYCH_FILES: must be local or s3'],
    [{ TRIPTYCH_FILES: 's3', FILES_S3_BUCKET: 'b', FILES_S3_ACCESS_KEY_ID: 'x' }, 'FILES_S3_SECRET_ACCESS_KEY: must be set together'],
    [{ TRIPTYCH_FILES: 's3', FILES_S3_BUCKET: 'b', FILES_S3_ENDPOINT: 'minio' }, 'FILES_S3_ENDPOINT: must be an address'],
    [{ TRANSFER_IDLE_SECONDS: '0' }, 'TRANSFER_IDLE_SECONDS: must be a whole number from 1 to 3600'],
  ])('are not begun with %j', (env, message) => {
    expect(() => readConfig({ NODE_ENV: 'test', DATA_DIR: folder, ...env })).toThrow(message);
  });
});

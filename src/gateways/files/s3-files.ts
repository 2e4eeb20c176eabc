import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  GetObjectLockConfigurationCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { S3Options } from './bucket.ts';
import { FileMissing, type Files } from './files.ts';

/** The smallest part that S3 accepts; an upload holds about two of them in memory. */
const PART_BYTES = 5 * 1024 * 1024;
/** Timeout of connecting, and of an idle connection. */
const TIMEOUT_MS = 15_000;

/** A client of S3, or of a compatible server. */
export const createS3Client = ({ region, endpoint, credentials }: Omit<S3Options, 'bucket'>): S3Client =>
  new S3Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === undefined ? {} : { credentials }),
    requestHandler: { connectionTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
    // S3-compatible servers do not support the newer checksums; TLS and our own SHA-256 protect the content.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });

/** Stores files in an S3 bucket. A file of more than one part becomes visible with its last part. */
export function createS3Files({ bucket, lockedUntil, ...options }: S3Options): Files {
  const client = createS3Client(options);
  return {
    name: 's3',
    async write(key, content) {
      try {
        if (lockedUntil) return await writeLocked(client, { Bucket: bucket, Key: key }, content, lockedUntil);
        const parts = splitParts(content);
        const first = await parts.next();
        const second = first.done ? first : await parts.next();
        if (first.done || second.done) {
          const body = first.done ? Buffer.alloc(0) : first.value;
          await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentLength: body.length }));
          return;
        }
        await writeInParts(client, { Bucket: bucket, Key: key }, [first.value, second.value], parts);
      } finally {
        content.destroy();
      }
    },
    async read(key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`;
      const answer = await client
        .send(new GetObjectCommand({ Bucket: bucket, Key: key, ...(Range ? { Range } : {}) }))
        .catch(throwFileMissing);
      if (!(answer.Body instanceof Readable)) throw new Error('The bucket answered without content.');
      if (range && answer.ContentLength !== range.end - range.start + 1) {
        answer.Body.destroy();
        throw new Error('The bucket answered with another range.');
      }
      return answer.Body;
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },
  };
}

/** Writes an object under lock in one piece, which it holds in memory: each request of it needs a checksum. */
async function writeLocked(client: S3Client, target: { Bucket: string; Key: string }, content: Readable, until: Date): Promise<void> {
  const Body = await buffer(content);
  const lock = { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: until, ChecksumAlgorithm: 'SHA256' } as const;
  await client.send(new PutObjectCommand({ ...target, Body, ContentLength: Body.length, ...lock }));
}

/** Whether a bucket can keep objects under lock. Servers that do not know the question have none. */
export async function hasObjectLock({ bucket, ...options }: S3Options): Promise<boolean> {
  try {
    const answer = await createS3Client(options).send(new GetObjectLockConfigurationCommand({ Bucket: bucket }));
    return answer.ObjectLockConfiguration?.ObjectLockEnabled === 'Enabled';
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode !== undefined) return false;
    throw error;
  }
}

function throwFileMissing(error: unknown): never {
  if (error instanceof NoSuchKey) throw new FileMissing('There is no file of this key.', { cause: error });
  throw error;
}

/** Yields complete parts; only the last may be shorter. */
async function* splitParts(content: Readable): AsyncGenerator<Buffer, void> {
  let gathered: Buffer[] = [];
  let length = 0;
  for await (const chunk of content) {
    const bytes = Buffer.from(chunk);
    gathered.push(bytes);
    length += bytes.length;
    if (length < PART_BYTES) continue;
    yield Buffer.concat(gathered, length);
    gathered = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(gathered, length);
}

/** Uploads in parts and aborts the upload on failure, because parts of an unfinished upload are charged. */
async function writeInParts(
  client: S3Client,
  target: { Bucket: string; Key: string },
  first: Buffer[],
  rest: AsyncGenerator<Buffer, void>,
): Promise<void> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
  if (UploadId === undefined) throw new Error('The bucket did not name the upload.');
  const upload = { ...target, UploadId };
  try {
    const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
    const send = async (Body: Buffer) => {
      const PartNumber = Parts.length + 1;
      const { ETag } = await client.send(new UploadPartCommand({ ...upload, PartNumber, Body, ContentLength: Body.length }));
      Parts.push({ PartNumber, ETag });
    };
    for (let part = first.shift(); part !== undefined; part = first.shift()) await send(part);
    for await (const part of rest) await send(part);
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
  } catch (error) {
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
    throw error;
  }
}

import { open, readFile } from 'node:fs/promises';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Config } from '../config/config.ts';
import { type BucketConfig, bucketOptions, createS3Client } from './files/s3-files.ts';

/** A place outside of the database for the signed heads of the audit. */
export interface AnchorStore {
  /** Adds a line; it is on the disk, or under lock in the bucket, when the promise is fulfilled. */
  append(line: string, at: Date): Promise<void>;
  /** All lines, the oldest first. */
  read(): Promise<string[]>;
}

type AnchorConfig = BucketConfig & Pick<Config, 'AUDIT_ANCHOR_DAYS'>;

/** @param target `s3://bucket/prefix`, or the path of a file, also as `file:/path` */
export function createAnchorStore(target: string, config: AnchorConfig): AnchorStore {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(target) ?? [];
  if (bucket === undefined) return anchorFile(target.replace(/^file:(\/\/)?/, ''));
  const client = createS3Client(bucketOptions(config));
  return anchorBucket(client, { bucket, prefix: prefix && `${prefix.replace(/\/$/, '')}/`, days: config.AUDIT_ANCHOR_DAYS });
}

function anchorFile(path: string): AnchorStore {
  return {
    async append(line) {
      const file = await open(path, 'a', 0o600);
      try {
        await file.write(`${line}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
    },
    async read() {
      return (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
    },
  };
}

/** Objects that nobody can delete or overwrite until their day, in a bucket with object lock. */
function anchorBucket(client: S3Client, { bucket, prefix, days }: { bucket: string; prefix: string; days: number }): AnchorStore {
  return {
    async append(line, at) {
      await client.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: `${prefix}${at.toISOString().replaceAll(':', '-')}.json`,
          Body: line,
          ContentType: 'application/json',
          ChecksumAlgorithm: 'SHA256',
          ObjectLockMode: 'COMPLIANCE',
          ObjectLockRetainUntilDate: new Date(at.getTime() + days * 86_400_000),
        }),
      );
    },
    async read() {
      const lines: string[] = [];
      let after: string | undefined;
      for (;;) {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ...(after === undefined ? {} : { StartAfter: after }) }),
        );
        const keys = (page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
        for (const Key of keys)
          lines.push((await (await client.send(new GetObjectCommand({ Bucket: bucket, Key }))).Body?.transformToString()) ?? '');
        after = keys.at(-1);
        if (!page.IsTruncated || after === undefined) return lines;
      }
    },
  };
}

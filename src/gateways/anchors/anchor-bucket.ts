import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import type { S3Options } from '../files/bucket.ts';
import { createS3Client } from '../files/s3-files.ts';
import type { AnchorStore } from './anchor-store.ts';

/** Objects that nobody can delete or overwrite until their day, in a bucket with object lock. */
export function anchorBucket(
  options: Omit<S3Options, 'bucket'>,
  { bucket, prefix, days }: { bucket: string; prefix: string; days: number },
): AnchorStore {
  const client = createS3Client(options);
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

import { Readable } from 'node:stream';
import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { type BucketConfig, bucketOptions } from '../../gateways/files/bucket.ts';
import { FileMissing } from '../../gateways/files/files.ts';
import { createS3Client, createS3Files } from '../../gateways/files/s3-files.ts';
import { MANIFEST } from '../manifest.ts';
import { type BackupPlace, isBackupId } from './backup-place.ts';

/**
 * Backups as objects of a bucket. An object becomes visible when all of it is there.
 * @param prefix empty, or ending with a slash
 * @param lockedUntil see S3Options
 */
export function bucketPlace(bucket: string, prefix: string, config: BucketConfig, lockedUntil?: Date): BackupPlace {
  const options = bucketOptions(config);
  const client = createS3Client(options);
  const objects = createS3Files({ bucket, lockedUntil, ...options });
  async function* listKeys(start: string): AsyncGenerator<string> {
    for (let after: string | undefined; ; ) {
      const page = await client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: start, ...(after === undefined ? {} : { StartAfter: after }) }),
      );
      const keys = (page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
      yield* keys;
      after = keys.at(-1);
      if (!page.IsTruncated || after === undefined) return;
    }
  }
  return {
    async list() {
      const folders = new Set<string>();
      for await (const key of listKeys(prefix)) {
        const [folder = '', ...names] = key.slice(prefix.length).split('/');
        if (isBackupId(folder) || names.join('/') === MANIFEST) folders.add(folder);
      }
      return [...folders].sort();
    },
    write: (folder, name, content) => objects.write(`${prefix}${folder}/${name}`, Readable.from(content, { objectMode: false })),
    async read(folder, name) {
      return objects.read(`${prefix}${folder}/${name}`).catch((error: unknown) => {
        if (error instanceof FileMissing) return null;
        throw error;
      });
    },
    removeFile: (folder, name) => objects.remove(`${prefix}${folder}/${name}`),
    async remove(folder) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: `${prefix}${folder}/${MANIFEST}` }));
      for await (const Key of listKeys(`${prefix}${folder}/`)) await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
    },
  };
}

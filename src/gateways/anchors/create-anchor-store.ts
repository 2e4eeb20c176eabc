import { open, readFile } from 'node:fs/promises';
import type { Config } from '../../config/config.ts';
import { StartError } from '../../config/start-errors.ts';
import { type BucketConfig, bucketOptions } from '../files/bucket.ts';
import type { AnchorStore } from './anchor-store.ts';

type AnchorConfig = BucketConfig & Pick<Config, 'AUDIT_ANCHOR_DAYS'>;

/** @param target `s3://bucket/prefix`, or the path of a file, also as `file:/path` */
export async function createAnchorStore(target: string, config: AnchorConfig): Promise<AnchorStore> {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(target) ?? [];
  if (bucket === undefined) return anchorFile(target.replace(/^file:(\/\/)?/, ''));
  const { anchorBucket } = await import('./anchor-bucket.ts');
  return anchorBucket(bucketOptions(config), { bucket, prefix: prefix && `${prefix.replace(/\/$/, '')}/`, days: config.AUDIT_ANCHOR_DAYS });
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
      const content = await readFile(path, 'utf8').catch((error: unknown) => {
        throw error instanceof Error && 'code' in error && error.code === 'ENOENT' ? new StartError(`There is no file ${path}.`) : error;
      });
      return content.split('\n').filter((line) => line !== '');
    },
  };
}

import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { bucketOptions } from './bucket.ts';
import type { Files } from './files.ts';
import { createLocalFiles } from './local-files.ts';

/** Creates the file store that the configuration names. Opens no connection yet. */
export async function createFiles(config: Config): Promise<Files> {
  if (config.TRIPTYCH_FILES !== 's3' || config.FILES_S3_BUCKET === undefined) return createLocalFiles(join(config.DATA_DIR, 'files'));
  const { createS3Files } = await import('./s3-files.ts');
  return createS3Files({ bucket: config.FILES_S3_BUCKET, ...bucketOptions(config) });
}

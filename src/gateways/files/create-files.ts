import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Files } from './files.ts';
import { createLocalFiles } from './local-files.ts';
import { bucketOptions, createS3Files } from './s3-files.ts';

/** Creates the file store that the configuration names. Opens no connection yet. */
export function createFiles(config: Config): Files {
  if (config.TRIPTYCH_FILES !== 's3' || config.FILES_S3_BUCKET === undefined) return createLocalFiles(join(config.DATA_DIR, 'files'));
  return createS3Files({ bucket: config.FILES_S3_BUCKET, ...bucketOptions(config) });
}

import type { Config } from '../../config/config.ts';

export interface S3Options {
  bucket: string;
  region: string;
  /** Endpoint of an S3-compatible server; buckets are addressed by path instead of host name. */
  endpoint?: string | undefined;
  /** Found by the SDK unless given: environment variables, profile, role of the machine. */
  credentials?: { accessKeyId: string; secretAccessKey: string } | undefined;
  /** Nobody can delete or overwrite what is written before this instant; the bucket has object lock. */
  lockedUntil?: Date | undefined;
}

export type BucketConfig = Pick<Config, 'FILES_S3_REGION' | 'FILES_S3_ENDPOINT' | 'FILES_S3_ACCESS_KEY_ID' | 'FILES_S3_SECRET_ACCESS_KEY'>;

export function bucketOptions(config: BucketConfig): Omit<S3Options, 'bucket'> {
  const { FILES_S3_ACCESS_KEY_ID: accessKeyId, FILES_S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  return {
    region: config.FILES_S3_REGION,
    endpoint: config.FILES_S3_ENDPOINT,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
  };
}

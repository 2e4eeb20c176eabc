import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

export const BUCKET = 'triptych';

/** A server that speaks as S3 does, on a free port, with one bucket in a folder that is gone afterwards. */
export async function startS3() {
  const directory = await mkdtemp(join(tmpdir(), 'triptych-s3-'));
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: BUCKET, configs: [] }] });
  const { port } = await server.run();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    /** Of the files that stand in the bucket, those whose keys begin so. */
    async keys(start: string): Promise<string[]> {
      const names = await readdir(join(directory, BUCKET), { recursive: true });
      return names.filter((name) => name.startsWith(start) && name.includes('_object'));
    },
    /** Renames what begins with a prefix, as a copy to other keys would. */
    rename: (from: string, to: string): Promise<void> => rename(join(directory, BUCKET, from), join(directory, BUCKET, to)),
    async close() {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

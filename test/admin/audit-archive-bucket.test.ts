import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { BUCKET, startS3 } from '../support/s3-server.ts';
import { archivingApp } from './archived-audit.ts';
import { admin } from './command-line.ts';

const s3 = await startS3();
afterAll(() => s3.close());
const app = await archivingApp();
const toEnv = (endpoint: string) => ({
  ...app.env,
  FILES_S3_ENDPOINT: endpoint,
  FILES_S3_ACCESS_KEY_ID: 'S3RVER',
  FILES_S3_SECRET_ACCESS_KEY: 'S3RVER',
});
/** Without what the server keeps beside an object. */
const objects = async () => (await s3.keys('audit/')).filter((key) => key.endsWith('_object'));
const say = (endpoint: string, line: string) => admin(toEnv(endpoint), line.split(' '), '', app.database);

it('goes to a bucket, is verified there, and discarded there', async () => {
  await app.practice(5);
  const place = `s3://${BUCKET}/audit`;
  expect(await say(s3.endpoint, `audit archive --before 2019-05-01 --to ${place}`)).toMatchObject({ code: 0 });
  expect(await objects()).toHaveLength(2);
  const verified = await say(s3.endpoint, `audit verify --archive ${place}`);
  expect(verified).toMatchObject({ code: 0, out: expect.stringContaining('the chain goes on from there into the table') });
  const planned = await say(s3.endpoint, `audit discard --before 2019-06-01 --from ${place}`);
  const word = /--confirm ([0-9a-f]{12})/.exec(planned.out)?.[1];
  expect(await say(s3.endpoint, `audit discard --before 2019-06-01 --from ${place} --confirm ${word}`)).toMatchObject({ code: 0 });
  expect(await objects()).toEqual([]);
  expect(await say(s3.endpoint, `audit verify --archive ${place}`)).toMatchObject({
    code: 0,
    out: expect.stringContaining('were discarded by tester'),
  });
});

/** A server that answers as a bucket with object lock. @returns its address, and until when and how each object is locked */
async function lockingBucket() {
  const objects = new Map<string, Buffer>();
  const locks: { mode: string; until: string; sum: string }[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://here');
    if (searchParams.has('object-lock'))
      return response.end('<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>');
    if (request.method === 'PUT') {
      const named = (name: string) => String(request.headers[name]);
      locks.push({
        mode: named('x-amz-object-lock-mode'),
        until: named('x-amz-object-lock-retain-until-date'),
        sum: named('x-amz-checksum-sha256'),
      });
      objects.set(pathname, await buffer(request));
      return response.end();
    }
    const found = objects.get(pathname);
    return found ? response.end(found) : response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { endpoint: `http://127.0.0.1:${address.port}`, locks };
}

it('is locked in a bucket with object lock until the years of its practice are over', async () => {
  const id = await app.practice(5);
  await app.apply(id, { policies: { audit_years: 12 } });
  const { endpoint, locks } = await lockingBucket();
  expect(await say(endpoint, 'audit archive --before 2019-05-01 --to s3://evidence/audit')).toMatchObject({ code: 0 });
  const sum = expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/);
  expect(locks).toContainEqual({ mode: 'COMPLIANCE', until: '2031-05-02T00:00:00Z', sum });
  expect(new Set(locks.map(({ mode }) => mode))).toEqual(new Set(['COMPLIANCE']));
});

import { afterAll, expect, it } from 'vitest';
import { admin, toEnvironment } from '../admin/command-line.ts';
import { ownTestApp } from '../support/app.ts';
import { asOwner, createEmptyDatabase } from '../support/database-roles.ts';
import { createOrganization } from '../support/factories.ts';
import { BUCKET, startS3 } from '../support/s3-server.ts';

const s3 = await startS3();
afterAll(() => s3.close());
const test = await ownTestApp();
const bucket = { FILES_S3_ENDPOINT: s3.endpoint, FILES_S3_ACCESS_KEY_ID: 'S3RVER', FILES_S3_SECRET_ACCESS_KEY: 'S3RVER' };
const env = { ...toEnvironment(test), ...bucket, DATA_DIR: test.config.DATA_DIR };
const place = `s3://${BUCKET}/backups`;

it('makes, reads and restores backups in a bucket, and keeps as many as it shall', async () => {
  await createOrganization(test.database.prisma, { name: 'Bucket clinic' });
  for (const _ of [1, 2])
    expect(await admin(env, ['backup', 'create', '--full-speed', '--to', place, '--keep', '1'])).toMatchObject({ code: 0 });
  const ids = new Set((await s3.keys('backups/')).map((key) => key.split('/')[1]));
  expect(ids.size).toBe(1);
  const [id = ''] = ids;
  await s3.rename(`backups/${id}`, 'backups/before the upgrade');
  for (const from of [place, `${place}/before the upgrade`]) {
    const said = await admin(env, ['backup', 'verify', '--from', from]);
    expect(said).toMatchObject({ code: 0, out: expect.stringContaining(id) });
  }
  const url = await createEmptyDatabase();
  const target = { ...env, DATABASE_URL: url, DATABASE_OWNER_URL: asOwner(url) };
  expect(await admin(target, ['backup', 'restore', '--from', `${place}/before the upgrade`, '--into', 'DATABASE_URL'])).toMatchObject({
    code: 0,
  });
  expect((await admin(target, ['export-practice'])).out).toContain('Bucket clinic');
});

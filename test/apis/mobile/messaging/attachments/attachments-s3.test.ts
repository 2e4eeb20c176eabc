import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { closedAfterAll, ownTestApp, startTestApp } from '../../../../support/app.ts';
import { BUCKET, startS3 } from '../../../../support/s3-server.ts';
import type { Person } from '../../people/people.ts';
import { bytes, getContent, sha256, upload } from './uploading.ts';

const s3 = await closedAfterAll(startS3());
const env = (endpoint: string) => ({
  TRIPTYCH_FILES: 's3',
  FILES_S3_BUCKET: BUCKET,
  FILES_S3_ENDPOINT: endpoint,
  FILES_S3_ACCESS_KEY_ID: 'S3RVER',
  FILES_S3_SECRET_ACCESS_KEY: 'S3RVER',
});
const test = await ownTestApp(env(s3.endpoint));
const person: Person = await signedInUser(test);

describe('with files in a bucket', () => {
  it.each([10, 12 * 1024 * 1024])('an attachment of %d bytes is kept, and given back whole and in part', async (length) => {
    const whole = bytes(length);
    const { status, body } = await upload(test, person, whole);
    expect([status, body.data.sha256]).toEqual([201, sha256(whole)]);
    const read = await getContent(test, person, body.data.uuid);
    expect([read.status, read.bytes.equals(whole)]).toEqual([200, true]);
    const part = await getContent(test, person, body.data.uuid, { range: 'bytes=3-7' });
    expect([part.status, part.bytes.equals(whole.subarray(3, 8))]).toEqual([206, true]);
    expect(await s3.keys(`${person.organizationId}/`)).not.toEqual([]);
  });

  it('what is refused, and what is sent no further, is not in the bucket', async () => {
    const own = await signedInUser(test);
    const { organizationId } = own;
    expect((await upload(test, own, bytes(25 * 1024 * 1024 + 1))).status).toBe(413);
    const socket = connect(Number(new URL(test.address).port), '127.0.0.1');
    const form = '--edge\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
    socket.write(
      `POST /attachment HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${own.token}\r\ncontent-type: multipart/form-data; boundary=edge\r\ncontent-length: 20000000\r\n\r\n${form}`,
    );
    socket.write(bytes(11 * 1024 * 1024));
    await expect.poll(() => test.database.prisma.unclaimedFile.count({ where: { organizationId } }), { timeout: 10_000 }).toBe(1);
    socket.destroy();
    await expect.poll(() => test.database.prisma.unclaimedFile.count({ where: { organizationId } }), { timeout: 10_000 }).toBe(0);
    expect(await s3.keys(`${organizationId}/`)).toEqual([]);
  });

  it('a bucket that does not answer is called unavailable, and its files are there again with it', async () => {
    const { uuid } = (await upload(test, person, 'abc')).body.data;
    const away = await startTestApp(env('http://127.0.0.1:9'), { databaseUrl: test.databaseUrl });
    const theirs = await signedInUser(away, { organizationId: person.organizationId });
    const answers = [await getContent(away, theirs, uuid), await upload(away, theirs, 'abc')];
    expect(answers.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
      [503, '2'],
      [503, '2'],
    ]);
    await away.close();
    expect((await getContent(test, person, uuid)).bytes.toString()).toBe('abc');
  });
});

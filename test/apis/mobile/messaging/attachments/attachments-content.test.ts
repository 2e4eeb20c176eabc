import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import type { Person } from '../../people/people.ts';
import { bytes, getContent, sha256, upload } from './uploading.ts';

const WHOLE = bytes(100_000);
const TAG = `"${Buffer.from(sha256(WHOLE), 'hex').toString('base64url')}"`;

const test = await sharedTestApp();
const person: Person = await signedInUser(test);
const id = (await upload(test, person, WHOLE, 'scan.bin')).body.data.uuid;

const ask = (headers: object = {}, method = 'GET') => getContent(test, person, id, headers, method);

describe('the content of a file', () => {
  it('is sent to be saved, and never runs as a page', async () => {
    const { status, headers, bytes: sent } = await ask();
    expect([status, sent.equals(WHOLE)]).toEqual([200, true]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      'content-disposition': 'attachment; filename="scan.bin"',
      'content-length': '100000',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'content-type': 'application/octet-stream',
      etag: TAG,
      'x-content-type-options': 'nosniff',
    });
  });

  it('is told of by HEAD, without it', async () => {
    const [head, get] = [await ask({ range: 'bytes=0-9' }, 'HEAD'), await ask()];
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    for (const name of ['content-length', 'content-type', 'content-disposition', 'etag', 'accept-ranges']) {
      expect(head.headers.get(name), name).toBe(get.headers.get(name));
    }
  });

  it('is not sent to who has it', async () => {
    const { status, headers, bytes: sent } = await ask({ 'if-none-match': `"other", W/${TAG}` });
    expect([status, headers.get('etag'), sent.length]).toEqual([304, TAG, 0]);
    expect((await ask({ 'if-none-match': '"other"' })).status).toBe(200);
  });

  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-9', 0, 9],
    ['bytes=99990-', 99_990, 99_999],
    ['bytes=99990-500000', 99_990, 99_999],
    ['bytes=-10', 99_990, 99_999],
    ['bytes=-500000', 0, 99_999],
    ['BYTES= 5-6 ', 5, 6],
    ['bytes=70000-80000', 70_000, 80_000],
  ])('is sent in part where %s is asked for', async (range, start, end) => {
    const { status, headers, bytes: sent } = await ask({ range });
    expect([status, headers.get('content-range'), headers.get('content-length')]).toEqual([
      206,
      `bytes ${start}-${end}/100000`,
      String(end - start + 1),
    ]);
    expect(sent.equals(WHOLE.subarray(start, end + 1))).toBe(true);
  });

  it.each(['bytes=100000-', 'bytes=100000-100001', 'bytes=-0', 'bytes=99999999999999999999-'])('has no part %s', async (range) => {
    const { status, headers, bytes: sent } = await ask({ range });
    expect([status, headers.get('content-range')]).toEqual([416, 'bytes */100000']);
    expect(JSON.parse(sent.toString())).toMatchObject({
      code: 'range_not_satisfiable',
      instance: '/attachment/%7Battachment%7D/body/%7Bfilename%7D',
    });
  });

  it.each(['bytes=0-1,5-6', 'bytes=9-2', 'bytes=-', 'bytes', 'lines=1-2', 'bytes=a-b', 'bytes=1-2x'])(
    'is sent whole where %s is asked for, which is no one range',
    async (range) => {
      const { status, bytes: sent } = await ask({ range });
      expect([status, sent.length]).toEqual([200, WHOLE.length]);
    },
  );

  it('is sent whole to who holds a part of another file', async () => {
    const range = 'bytes=0-9';
    expect((await ask({ range, 'if-range': TAG })).status).toBe(206);
    for (const other of ['"other"', `W/${TAG}`, 'Wed, 21 Oct 2026 07:28:00 GMT'])
      expect((await ask({ range, 'if-range': other })).status).toBe(200);
  });

  it('may be empty', async () => {
    const { uuid } = (await upload(test, person, '')).body.data;
    const { status, headers, bytes: sent } = await getContent(test, person, uuid);
    expect([status, headers.get('content-length'), sent.length]).toEqual([200, '0', 0]);
    expect((await getContent(test, person, uuid, { range: 'bytes=0-' })).status).toBe(416);
  });

  it('is found under any name', async () => {
    const names = ['scan.bin', 'other', `${'a'.repeat(900)}.pdf`, encodeURIComponent('a/b "c"'), '%F0%9F%98%80'];
    const answers = await Promise.all(names.map((name) => person.get(`/attachment/${id}/body/${name}`)));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
  });

  it.each(['0', 'x', '9007199254740992', '1.5'])('is not looked for under the id %s', async (wrong) => {
    const answer = await person.get(`/attachment/${wrong}/body/x`);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, '/attachment']);
  });
});

describe('the name of a file', () => {
  it.each([
    ['ordinary.pdf', 'ordinary.pdf', 'attachment; filename="ordinary.pdf"'],
    ['../../etc/passwd', 'passwd', 'attachment; filename="passwd"'],
    ['C:\\Users\\x\\report.doc', 'report.doc', 'attachment; filename="report.doc"'],
    ['Müller.pdf', 'Müller.pdf', 'attachment; filename="M_ller.pdf"; filename*=UTF-8\'\'M%C3%BCller.pdf'],
    ['a"; filename=evil.pdf', 'a_; filename=evil.pdf', 'attachment; filename="a_; filename=evil.pdf"'],
    ['a\r\nSet-Cookie: x=1.txt', 'aSet-Cookie_ x=1.txt', 'attachment; filename="aSet-Cookie_ x=1.txt"'],
    ['gpj.\u202etxt.pdf', 'gpj.txt.pdf', 'attachment; filename="gpj.txt.pdf"'],
    ['nul.txt', '_nul.txt', 'attachment; filename="_nul.txt"'],
    ['...', 'file', 'attachment; filename="file"'],
    [`${'a'.repeat(500)}.pdf`, `${'a'.repeat(56)}.pdf`, `attachment; filename="${'a'.repeat(56)}.pdf"`],
  ])('%j is shown and saved as %j', async (sent, shown, disposition) => {
    const { data } = (await upload(test, person, 'x', sent)).body;
    expect(data.file_name).toBe(shown);
    expect((await getContent(test, person, data.uuid)).headers.get('content-disposition')).toBe(disposition);
  });

  it('stands in no address, which logs would keep', async () => {
    const { data } = (await upload(test, person, 'x', 'Ada Quinn, 1990.PDF')).body;
    expect(data.url).toBe(`${test.address}/attachment/${data.uuid}/body/${data.uuid}.pdf`);
    expect(test.logs.filter((line) => line.includes('Quinn'))).toEqual([]);
  });
});

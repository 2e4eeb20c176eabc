import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import type { Person } from '../../people/people.ts';
import { bytes, getContent, PNG, rawForm, sha256, storedFiles, upload, zipped } from './uploading.ts';

const test = await sharedTestApp();
const person: Person = await signedInUser(test);

const SOON = { timeout: 10_000 };
const rows = () => test.database.prisma;
const send = (body: Buffer, headers: object = {}) =>
  fetch(`${test.address}/attachment`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.token}`, 'content-type': 'multipart/form-data; boundary=edge', ...headers },
    body: new Uint8Array(body),
  });
/** The table of contents of a document of Word with macros. */
const CONTENT_TYPES =
  '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/></Types>';
const FILE = 'Content-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain';

describe('uploading', () => {
  it('keeps the file and answers what it is', async () => {
    const answer = await upload(test, person, PNG, 'scan.png');
    expect(answer.status, answer.text).toBe(201);
    const { uuid } = answer.body.data;
    expect(answer.body.data).toEqual({
      uuid: expect.any(Number),
      file_name: 'scan.png',
      media_type: 'image/png',
      byte_length: PNG.length,
      sha256: sha256(PNG),
      url: `${test.address}/attachment/${uuid}/body/${uuid}.png`,
      user_id: person.user.id,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    const read = await fetch(answer.body.data.url, { headers: { authorization: `Bearer ${person.token}` } });
    expect(Buffer.from(await read.arrayBuffer()).equals(PNG)).toBe(true);
  });

  it('stores it under a name of our own, which only the owner of the folder can read', async () => {
    const own = await signedInUser(test);
    await upload(test, own, 'secret', '../../../etc/passwd');
    const [name = ''] = await storedFiles(test, own);
    expect(name).toMatch(/^[0-9a-f-]{36}$/);
    const place = join(test.config.DATA_DIR, 'files', String(own.organizationId), name);
    expect(await readFile(place, 'utf8')).toBe('secret');
    expect((await stat(place)).mode & 0o777).toBe(0o600);
    expect((await stat(join(place, '..'))).mode & 0o777).toBe(0o700);
  });

  it('leaves an event and an audit row, and nothing unclaimed', async () => {
    const own = await signedInUser(test);
    const { organizationId } = own;
    const { uuid } = (await upload(test, own, 'x')).body.data;
    const events = await rows().event.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
    expect(events.map(({ name, subjectId }) => [name, subjectId])).toEqual([['attachment.uploaded', uuid]]);
    const audits = await rows().auditEntry.findMany({ where: { organizationId, resource: 'attachment' }, orderBy: { id: 'asc' } });
    expect(audits.map(({ action, resourceIds, operation }) => [action, resourceIds, operation])).toEqual([
      ['create', [uuid], 'POST /attachment'],
    ]);
    expect(await rows().unclaimedFile.count({ where: { organizationId } })).toBe(0);
  });

  it.each([
    ['a page that calls itself a picture', 'a.png', '<html><script>alert(1)</script></html>', 'text/plain'],
    ['a picture that calls itself a text', 'a.txt', PNG, 'image/png'],
    ['a table', 'a.doc', 'name,dob\r\n"Quinn, Ada",1990-01-15\r\n', 'text/csv'],
    ['what nobody knows', 'a.jpg', Buffer.from([0, 1, 2, 3, 250]), 'application/octet-stream'],
    ['nothing at all', 'a.jpg', '', 'application/octet-stream'],
  ])('finds out that %s (%s) is of its true type', async (_, name, sent, type) => {
    const { data } = (await upload(test, person, sent, name)).body;
    expect([data.media_type, data.file_name]).toEqual([type, name]);
    const read = await getContent(test, person, data.uuid);
    expect(read.headers.get('content-type')?.split(';')[0]).toBe(type);
    expect(read.bytes.equals(Buffer.from(sent))).toBe(true);
  });

  it.each([
    ['a program for Windows', Buffer.concat([Buffer.from('MZ'), Buffer.alloc(90)])],
    ['a program for Linux', Buffer.concat([Buffer.from('7f454c460201', 'hex'), bytes(90)])],
    ['a script', '#!/bin/sh\nrm -rf /\n'],
    ['a script after a blank line', '\n  @echo off\ndel *.*\n'],
    ['a script in UTF-16', Buffer.from('\ufeff@echo off\r\n', 'utf16le')],
    ['a shortcut', '[InternetShortcut]\nURL=file:///C:/a.exe\n'],
    ['an installer for macOS', Buffer.concat([Buffer.from('xar!'), bytes(90)])],
    ['an app for Android', Buffer.concat([Buffer.from('dex\n035\0'), bytes(90)])],
    ['a letter with macros', zipped('[Content_Types].xml', CONTENT_TYPES)],
    ['an app for Windows', Buffer.from('PK\x03\x04\x14\0\0\0\x08\0AppxManifest.xml', 'latin1')],
  ])('that is %s is refused, whatever its name, and nothing of it is kept', async (_, sent) => {
    const own = await signedInUser(test);
    const answer = await upload(test, own, sent, 'results.pdf');
    expect([answer.status, answer.body.code]).toEqual([415, 'executable_file']);
    expect(answer.body.errors).toMatchObject([{ pointer: '/file', code: 'executable_file' }]);
    await expect.poll(() => storedFiles(test, own), SOON).toEqual([]);
    expect(await rows().attachment.count({ where: { organizationId: own.organizationId } })).toBe(0);
  });

  it.each(['letter.BAT', 'run.ps1 ', 'page.js', 'open.url', 'letter.docm', 'form.dotm', 'plan.XLSM', 'talk.pptm', 'talk.ppsm', 'add.xlam'])(
    'with the name %s is refused, whatever it contains',
    async (name) => {
      const answer = await upload(test, person, 'Dear patient,\n', name);
      expect([answer.status, answer.body.code]).toEqual([415, 'executable_file']);
    },
  );

  it.each(['page.html', 'page.HTM', 'page.xhtml', 'page.svg', 'page.mht'])(
    'is a text where a browser would open it as a page: %s',
    async (name) => {
      const { data } = (await upload(test, person, '<script>alert(1)</script>', name)).body;
      const read = await getContent(test, person, data.uuid);
      expect([data.file_name, read.headers.get('content-disposition')]).toEqual(['page.txt', 'attachment; filename="page.txt"']);
    },
  );

  it('under an Idempotency-Key is answered again byte for byte and stored once; another file is another request', async () => {
    const own = await signedInUser(test);
    const key = { 'idempotency-key': 'upload-1' };
    const first = await upload(test, own, 'one', 'a.txt', key);
    const second = await upload(test, own, 'one', 'a.txt', key);
    expect([second.status, second.text, second.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
    expect((await upload(test, own, 'two', 'a.txt', key)).status).toBe(422);
    expect((await upload(test, own, 'one', 'b.txt', key)).status).toBe(422);
    await expect.poll(() => storedFiles(test, own), SOON).toHaveLength(1);
    expect(await rows().attachment.count({ where: { organizationId: own.organizationId } })).toBe(1);
    await expect.poll(() => rows().unclaimedFile.count({ where: { organizationId: own.organizationId } }), SOON).toBe(0);
  });

  it('keeps each of many that come at once', async () => {
    const own = await signedInUser(test);
    const sent = Array.from({ length: 8 }, (_, index) => bytes(100_000 + index));
    const answers = await Promise.all(sent.map((one) => upload(test, own, one)));
    expect(answers.map(({ body }) => body.data.sha256)).toEqual(sent.map(sha256));
    expect(await storedFiles(test, own)).toHaveLength(8);
  });

  it('names fields beside the file that it does not know', async () => {
    const answer = await send(
      rawForm([
        { head: 'Content-Disposition: form-data; name="note"', body: 'x' },
        { head: FILE, body: 'y' },
      ]),
    );
    expect([answer.status, answer.headers.get('warning-fields')]).toEqual([201, 'note']);
  });

  it.each([
    ['no file', [{ head: 'Content-Disposition: form-data; name="note"', body: 'x' }], '/file', 'is missing'],
    [
      'text where the file should be',
      [{ head: 'Content-Disposition: form-data; name="file"', body: 'x' }],
      '/file',
      'must be a file: a part with a file name',
    ],
    [
      'two files',
      [
        { head: FILE, body: 'x' },
        { head: FILE, body: 'y' },
      ],
      '/file',
      'was sent twice; send one file',
    ],
    [
      'a file of another name',
      [{ head: FILE.replace('"file"', '"picture"'), body: 'x' }],
      '/picture',
      'is a file field that this operation does not have',
    ],
  ])('refuses %s, and keeps nothing', async (_, parts, pointer, detail) => {
    const kept = (await storedFiles(test, person)).length;
    const answer = await send(rawForm(parts));
    expect(answer.status).toBe(400);
    expect(JSON.parse(await answer.text()).errors).toEqual([expect.objectContaining({ pointer, detail })]);
    expect(await storedFiles(test, person)).toHaveLength(kept);
    expect(await rows().unclaimedFile.count({ where: { organizationId: person.organizationId } })).toBe(0);
  });

  it.each([
    ['a form that breaks off', rawForm([{ head: FILE, body: 'x' }]).subarray(0, -12), {}, 400],
    ['a form without its boundary', Buffer.from('x'), { 'content-type': 'multipart/form-data' }, 400],
    ['no form', Buffer.from('x'), {}, 400],
    [
      'a hundred fields',
      rawForm(Array.from({ length: 100 }, (_, at) => ({ head: `Content-Disposition: form-data; name="f${at}"`, body: 'x' }))),
      {},
      400,
    ],
    ['JSON', Buffer.from('{}'), { 'content-type': 'application/json' }, 415],
  ])('refuses %s, in the words of the API', async (_, body, headers, status) => {
    const answer = await send(body, headers);
    const problem = JSON.parse(await answer.text());
    expect([answer.status, problem.instance], JSON.stringify(problem)).toEqual([status, '/attachment']);
    if (status === 415) expect(problem.detail).toContain('multipart/form-data');
    expect(await rows().unclaimedFile.count({ where: { organizationId: person.organizationId } })).toBe(0);
  });

  it('is the only operation that takes a form', async () => {
    const answer = await fetch(`${test.address}/user-appointments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'multipart/form-data; boundary=edge' },
      body: new Uint8Array(rawForm([{ head: FILE, body: 'x' }])),
    });
    expect(answer.status).toBe(415);
  });
});

describe('the content', () => {
  it('is for its organization alone', async () => {
    const stranger = await signedInUser(test);
    const { uuid } = (await upload(test, person, 'ours')).body.data;
    const [theirs, none] = [await getContent(test, stranger, uuid), await getContent(test, stranger, 1_888_888)];
    expect([theirs.status, none.status]).toEqual([404, 404]);
    const said = ({ bytes: body }: { bytes: Buffer }) => JSON.parse(body.toString()).detail;
    expect(said(theirs)).toBe(said(none));
    expect((await getContent(test, person, uuid)).status).toBe(200);
  });

  it('leaves an audit row each time', async () => {
    const own = await signedInUser(test);
    const { uuid } = (await upload(test, own, 'abcdef')).body.data;
    await getContent(test, own, uuid);
    await getContent(test, own, uuid, { range: 'bytes=0-1' });
    await getContent(test, own, uuid, {}, 'HEAD');
    const where = { organizationId: own.organizationId, resource: 'attachment', action: 'read' } as const;
    const entries = await rows().auditEntry.findMany({ where, orderBy: { id: 'asc' } });
    expect(entries.map(({ resourceIds }) => resourceIds)).toEqual([[uuid], [uuid], [uuid]]);
  });

  it('is called unavailable where its bytes cannot be found', async () => {
    const own = await signedInUser(test);
    const { uuid } = (await upload(test, own, 'abcdef')).body.data;
    const key = { organizationId_id: { organizationId: own.organizationId, id: uuid } };
    await rows().attachment.update({ where: key, data: { storageKey: `${own.organizationId}/gone` } });
    const answer = await getContent(test, own, uuid);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
    expect(answer.bytes.toString()).not.toContain('gone');
  });
});

import { describe, expect, it } from 'vitest';
import { bytes, upload } from '../apis/mobile/messaging/attachments/uploading.ts';
import { sharedTestApp } from '../support/app.ts';
import { messagePages, type Sender, sender, sendLink } from '../support/external-messages.ts';
import { createPatient } from '../support/factories.ts';

const test = await sharedTestApp();
const who: Sender = await sender(test);

const rows = () => test.database.prisma;
const { open, page, record, expire } = messagePages(test, who);

describe('the files of a message', () => {
  const withFile = async (content: Uint8Array | string = 'hello', name = 'note.txt', of = who) => {
    const { uuid: file } = (await upload(test, of, content, name)).body.data;
    return { file, ...(await sendLink(test, of, { attachments: [file] })) };
  };

  it('are listed with name, kind and size, and saved, never shown', async () => {
    const { path, file, uuid } = await withFile(bytes(1_234_567), 'scan of "Ada".pdf');
    const { text } = await page(path);
    expect(text).toContain(`href="${path}/files/${file}"`);
    expect(text).toContain('>scan of _Ada_.pdf</a></bdi>');
    expect(text).toContain('File, 1.2 MB');
    const answer = await open(`${path}/files/${file}`);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes(1_234_567))).toBe(true);
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; /);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await record(uuid)).toMatchObject({ total_views: 1, total_downloads: 1 });
  });

  it('have their hostile names shown as text', async () => {
    const { path, file } = await withFile('x', 'ok.txt');
    const fileName = `<script>alert(1)</script>"'><b onmouseover=alert(1)>.txt`;
    await rows().attachment.update({
      where: { organizationId_id: { organizationId: who.organizationId, id: file } },
      data: { fileName },
    });
    const { text } = await page(path);
    expect(text).not.toMatch(/<script|<b /);
    expect(text).toContain('&#60;script&#62;');
    const { headers } = await open(`${path}/files/${file}`);
    expect(headers.get('content-disposition')).not.toMatch(/[\r\n]/);
  });

  it('count where they are begun, not where somebody goes on, has them, or only looks', async () => {
    const { path, file, uuid } = await withFile('0123456789');
    const get = async (headers: Record<string, string> = {}, method = 'GET') =>
      (await open(`${path}/files/${file}`, { headers, method })).status;
    const whole = await open(`${path}/files/${file}`);
    expect(whole.status).toBe(200);
    expect(await get({ range: 'bytes=0-3' })).toBe(206);
    expect(await record(uuid)).toMatchObject({ total_downloads: 2 });
    expect(await get({ range: 'bytes=4-' })).toBe(206);
    expect(await get({ range: 'bytes=-2' })).toBe(206);
    expect(await get({}, 'HEAD')).toBe(200);
    expect(await get({ 'if-none-match': whole.headers.get('etag') ?? '' })).toBe(304);
    expect(await get({ range: 'bytes=99-' })).toBe(416);
    expect(await get({ purpose: 'prefetch' })).toBe(204);
    expect(await record(uuid)).toMatchObject({ total_downloads: 2 });
    expect(await get({ range: 'bytes=4-', 'if-range': '"another"' }), 'the whole, since it is another file').toBe(200);
    expect(await record(uuid)).toMatchObject({ total_downloads: 3, total_views: 0 });
  });

  it('are audited each time, with the patient', async () => {
    const own = await sender(test);
    const { organizationId } = own;
    const { id } = await createPatient(rows(), { organizationId, mobilePhone: '+19195550141' });
    const { uuid: file } = (await upload(test, own, 'hello')).body.data;
    const { path } = await sendLink(test, own, { attachments: [file], sent_to: undefined, Contact: id });
    await open(`${path}/files/${file}`);
    await open(`${path}/files/${file}`, { headers: { range: 'bytes=1-' } });
    const where = { organizationId, actor: 'link:external_message', action: 'read' } as const;
    const audits = await rows().auditEntry.findMany({ where, orderBy: { id: 'asc' } });
    expect(audits.map(({ resource, resourceIds }) => [resource, resourceIds])).toEqual([
      ['attachment', [file]],
      ['patient', [id]],
      ['attachment', [file]],
      ['patient', [id]],
    ]);
    expect(await rows().event.count({ where: { organizationId, name: 'external_message.downloaded' } })).toBe(1);
  });

  it('are only those of this message, and only while it opens', async () => {
    const { path, file, uuid } = await withFile('mine');
    const other = await withFile('other');
    const stranger = await sender(test);
    const theirs = await withFile('theirs', 'a.txt', stranger);
    expect((await open(`${path}/files/${other.file}`)).status).toBe(404);
    expect((await open(`${path}/files/${theirs.file}`)).status).toBe(404);
    expect((await open(`${path}/files/${file}`)).status).toBe(200);
    await expire(uuid);
    const expired = await open(`${path}/files/${file}`);
    expect([expired.status, expired.headers.get('location')]).toEqual([303, path]);
    const gone = await withFile('gone');
    await who.delete(`/external-messages/${gone.uuid}`).expect(204);
    for (const range of ['bytes=0-', 'bytes=2-'])
      expect((await open(`${gone.path}/files/${gone.file}`, { headers: { range } })).status, range).toBe(404);
    expect((await open(gone.path, { method: 'HEAD' })).status).toBe(404);
  });
});

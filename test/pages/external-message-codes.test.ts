import { describe, expect, it } from 'vitest';
import { upload } from '../apis/mobile/messaging/attachments/uploading.ts';
import { sharedTestApp } from '../support/app.ts';
import { askForCode, getPage, newestCode, postForm, type Sender, sender, sendLocked, written } from '../support/external-messages.ts';
import { createPatient } from '../support/factories.ts';

const test = await sharedTestApp();
const who: Sender = await sender(test);

const rows = () => test.database.prisma;
const get = (path: string, cookie?: string) => getPage(test, path, cookie);
const post = (path: string, form?: Record<string, string>, at = test) => postForm(at, path, form);
const locked = (body: object = {}, of = who) => sendLocked(test, of, body);
const askCode = (body: object = {}, of = who) => askForCode(test, of, body);
const other = (code: string) => (code === '111111' ? '222222' : '111111');
const pair = (cookie: string | null) => cookie?.split(';')[0] ?? '';
const find = (id: number, of = who) =>
  rows().externalMessage.findUniqueOrThrow({ where: { organizationId_id: { organizationId: of.organizationId, id } } });
const change = (id: number, data: object, of = who) =>
  rows().externalMessage.update({ where: { organizationId_id: { organizationId: of.organizationId, id } }, data });

describe('a message that asks for a code', () => {
  it('shows nothing of itself before, sends the code when somebody asks, and opens with it once', async () => {
    const { path, uuid } = await locked({ subject: 'Your results' });
    const before = await get(path);
    expect(before.text).toContain('Send me the code');
    expect(before.text).toContain('•••-•••-0123');
    expect(before.text).not.toMatch(/Private words|Your results/);
    await post(`${path}/code`);
    const waiting = await get(path);
    expect(waiting.text).toContain('autocomplete="one-time-code"');
    expect(waiting.text).not.toMatch(/Private words|Your results/);
    const code = await newestCode(test, who);
    const right = await post(path, { code: `${code.slice(0, 3)} ${code.slice(3)}` });
    expect(right).toMatchObject({ status: 303, location: path });
    expect(right.cookie).toMatch(new RegExp(`^opened=[\\w.-]+; Path=${path}; Max-Age=1800; HttpOnly; SameSite=Strict$`));
    expect((await get(path, pair(right.cookie))).text).toContain('Private words');
    expect(await post(path, { code })).toMatchObject({ status: 303, cookie: null });
    expect((await get(path)).text).not.toContain('Private words');
    const { total_views } = (await who.get(`/external-messages/${uuid}`)).body.data;
    expect(total_views, 'only the message itself counts').toBe(1);
  });

  it('sends the code at once, also at night, and keeps no word of it', async () => {
    const own = await sender(test);
    const { code, uuid } = await askCode({}, own);
    const texts = await rows().smsMessage.findMany({ where: { organizationId: own.organizationId }, orderBy: { id: 'asc' } });
    expect(
      texts.map(({ isReply }) => isReply),
      'quiet hours hold the notice, not the code',
    ).toEqual([false, true]);
    expect(JSON.stringify(texts)).not.toContain(code);
    const { codeHash, codeExpiresAt } = await find(uuid, own);
    expect(codeHash).toHaveLength(32);
    expect((codeExpiresAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(590_000);
    expect((codeExpiresAt?.getTime() ?? 0) - Date.now()).toBeLessThan(600_001);
    expect((await own.get('/sms-messages').expect(200)).text).not.toContain(code);
  });

  it('keeps its files behind it too', async () => {
    const { uuid: file } = (await upload(test, who, 'secret')).body.data;
    const { path, code, uuid } = await askCode({ attachments: [file] });
    expect(await get(`${path}/files/${file}`)).toMatchObject({ status: 303, location: path, text: '' });
    const { cookie } = await post(path, { code });
    expect(await get(`${path}/files/${file}`, pair(cookie))).toMatchObject({ status: 200, text: 'secret' });
    expect((await find(uuid)).totalDownloads).toBe(1);
  });

  it('leaves events and audit rows for what was tried', async () => {
    const own = await sender(test);
    const { path, code, uuid } = await askCode({}, own);
    await post(path, { code: other(code) });
    await post(path, { code });
    const where = { organizationId: own.organizationId, actor: 'link:external_message' };
    const events = await rows().event.findMany({ where: { ...where, subjectType: 'external_message' }, orderBy: { id: 'asc' } });
    expect(events.map(({ name, subjectId }) => [name, subjectId])).toEqual([
      ['external_message.code_sent', uuid],
      ['external_message.code_refused', uuid],
      ['external_message.code_accepted', uuid],
    ]);
    const audits = await rows().auditEntry.findMany({ where: { ...where, resource: 'external_message' }, orderBy: { id: 'asc' } });
    expect(audits.map(({ action }) => action)).toEqual(['update', 'sign_in_refused', 'sign_in']);
  });

  it('neither sends nor voids a code for a GET', async () => {
    const own = await sender(test);
    const { path, uuid, code } = await askCode({}, own);
    const before = await find(uuid, own);
    for (const one of [path, `${path}/code`, `${path}?code=${other(code)}`, `${path}/files/1`]) await get(one);
    expect(await find(uuid, own)).toEqual(before);
    expect(await written(test, own)).toHaveLength(2);
  });
});

describe('the code', () => {
  it('goes the other way than the link, to a receiver whom the practice knows', async () => {
    const own = await sender(test);
    const { organizationId } = own;
    const { id } = await createPatient(rows(), { organizationId, mobilePhone: '+19195550177', email: 'pat@example.com' });
    const byText = await locked({ sent_to: undefined, Contact: id }, own);
    expect((await get(byText.path)).text).toContain('p•••@example.com');
    await post(`${byText.path}/code`);
    const byMail = await locked({ sent_to: 'pat@example.com', Contact: id }, own);
    expect((await get(byMail.path)).text).toContain('•••-•••-0177');
    await post(`${byMail.path}/code`);
    expect((await get(byMail.path)).text).toContain('<strong>•••-•••-0177</strong>');
    expect((await written(test, own)).map(({ to }) => to)).toEqual(['+19195550177', 'pat@example.com', 'pat@example.com', '+19195550177']);
  });

  it('goes where the link went, where the other way is closed', async () => {
    const own = await sender(test);
    const { organizationId } = own;
    const { id } = await createPatient(rows(), { organizationId, mobilePhone: '+19195550178', email: 'pat@example.com' });
    await rows().optOut.create({ data: { organizationId, number: '+19195550178', optedOut: true, keyword: 'STOP', source: 'text' } });
    const { path } = await askCode({ sent_to: 'pat@example.com', Contact: id }, own);
    expect((await written(test, own)).map(({ to }) => to)).toEqual(['pat@example.com', 'pat@example.com']);
    expect((await get(path)).text).toContain('p•••@example.com');
  });

  it('is not sent to who must not be written to: the page says whom to call', async () => {
    const own = await sender(test);
    const { organizationId } = own;
    const { id } = await createPatient(rows(), { organizationId, mobilePhone: '+19195550179' });
    const { path, uuid } = await locked({ sent_to: undefined, Contact: id }, own);
    await rows().patient.update({ where: { organizationId_id: { organizationId, id } }, data: { doNotSms: true }, select: { id: true } });
    const { text } = await get(path);
    expect(text).toContain('We cannot send you a code.');
    expect(text).toContain('(919) 555-0100');
    expect(text).not.toContain('<form');
    expect(await post(`${path}/code`)).toMatchObject({ status: 303 });
    expect((await find(uuid, own)).codeHash).toBeNull();
    expect(await written(test, own)).toHaveLength(1);
  });

  it('is not sent where the practice has no number any more', async () => {
    const own = await sender(test);
    const { path } = await locked({}, own);
    await rows().phoneNumber.updateMany({ where: { organizationId: own.organizationId }, data: { releasedAt: new Date() } });
    await post(`${path}/code`);
    expect((await get(path)).text).toContain('We cannot send you a code.');
  });

  it('is asked for five times an hour at most, also at the same time', async () => {
    const own = await sender(test);
    const { path, uuid } = await locked({}, own);
    await Promise.all(Array.from({ length: 8 }, () => post(`${path}/code`)));
    expect(await rows().smsMessage.count({ where: { organizationId: own.organizationId, isReply: true } })).toBe(5);
    expect((await get(path)).text).toContain('at most 5 codes within an hour');
    const hourAgo = new Date(Date.now() - 3_600_000);
    await change(uuid, { codesSentAt: Array(5).fill(hourAgo) }, own);
    await post(`${path}/code`);
    expect(await rows().smsMessage.count({ where: { organizationId: own.organizationId, isReply: true } })).toBe(6);
  });

  it('is void after five wrong ones, counted also where they come at once', async () => {
    const { path, code, uuid } = await askCode();
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(path, { code: other(code) })));
    expect(answers.map(({ status, cookie }) => [status, cookie])).toEqual(answers.map(() => [303, null]));
    expect(await find(uuid)).toMatchObject({ codeHash: null, wrongCodes: 5, wrongInAll: 5 });
    expect((await post(path, { code })).cookie).toBeNull();
    const { text } = await get(path);
    expect(text).toContain('Too many wrong codes were entered');
    expect(text).toContain('Send me the code');
    await post(`${path}/code`);
    expect((await post(path, { code: await newestCode(test, who) })).cookie).not.toBeNull();
  });

  it('of many right ones at once opens for one', async () => {
    const { path, code } = await askCode();
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(path, { code })));
    expect(answers.filter(({ cookie }) => cookie !== null)).toHaveLength(1);
  });

  it('says how many guesses are left', async () => {
    const { path, code } = await askCode();
    await post(path, { code: other(code) });
    expect((await get(path)).text).toContain('You can try 4 more times.');
    for (const _ of [1, 2, 3]) await post(path, { code: other(code) });
    const { text } = await get(path);
    expect(text).toContain('You can try once more.');
    expect(text).toMatch(/aria-describedby="problem sent" aria-invalid="true"/);
  });

  it.each(['', '12345', '1234567', 'abcdef', '12345\0', '１２３４５', 'x'.repeat(10_000)])(
    'is no guess where it is none (%#)',
    async (code) => {
      const { path, uuid } = await askCode();
      const answer = await post(path, { code });
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('The code has six digits.');
      expect(await find(uuid)).toMatchObject({ wrongCodes: 0 });
    },
  );

  it('is too old after ten minutes', async () => {
    const { path, code, uuid } = await askCode();
    await change(uuid, { codeExpiresAt: new Date(Date.now() - 1) });
    expect(await post(path, { code })).toMatchObject({ status: 303, cookie: null });
    expect((await get(path)).text).toContain('The code that we sent is too old.');
  });

  it('of one message opens no other', async () => {
    const [one, two] = [await askCode(), await askCode()];
    if (one.code === two.code) throw new Error('one in a million');
    expect((await post(two.path, { code: one.code })).cookie).toBeNull();
    expect((await post(one.path, { code: one.code })).cookie).not.toBeNull();
  });

  it('opens nothing that has expired or was withdrawn', async () => {
    const [late, taken] = [await askCode(), await askCode()];
    await change(late.uuid, { expiresAt: new Date(Date.now() - 1) });
    await who.delete(`/external-messages/${taken.uuid}`).expect(204);
    expect(await post(late.path, { code: late.code })).toMatchObject({ status: 303, cookie: null });
    expect((await get(late.path)).status).toBe(410);
    expect((await get(taken.path)).status).toBe(404);
    expect((await post(taken.path, { code: taken.code })).status).toBe(404);
    expect((await post(`${taken.path}/code`)).status).toBe(404);
  });

  it('helps no more after a hundred wrong ones in a row', async () => {
    const { path, uuid, code } = await askCode();
    await change(uuid, { wrongInAll: 100 });
    expect((await post(path, { code })).cookie).toBeNull();
    expect((await get(path)).text).toContain('We cannot send you a code.');
  });
});

describe('the cookie', () => {
  it('of one message opens no other, and no part of it may be changed', async () => {
    const [one, two] = [await askCode(), await askCode()];
    const cookie = pair((await post(one.path, { code: one.code })).cookie);
    expect((await get(one.path, `a=b; ${cookie}`)).text).toContain('Private words');
    expect((await get(two.path, cookie)).text).not.toContain('Private words');
    const [, keyId = '', end = '', mac = ''] = /^opened=([^.]+)\.([^.]+)\.([^.]+)$/.exec(cookie) ?? [];
    for (const altered of [`${keyId}.${Number(end) + 1}.${mac}`, `other.${end}.${mac}`, `${keyId}.${end}.${mac.slice(1)}`, `..`, '']) {
      expect((await get(one.path, `opened=${altered}`)).text, altered).not.toContain('Private words');
    }
  });
});

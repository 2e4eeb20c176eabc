import { describe, expect, it } from 'vitest';
import { createSecretLink } from '../../src/domain/identity/secret-links.ts';
import { upload } from '../apis/mobile/messaging/attachments/uploading.ts';
import { sharedTestApp, startTestApp } from '../support/app.ts';
import { askForCode, END, END_DAY, messagePages, postForm, type Sender, send, sender, sendLink } from '../support/external-messages.ts';
import { createPatient, createProvider } from '../support/factories.ts';

const test = await sharedTestApp();
const who: Sender = await sender(test);

const rows = () => test.database.prisma;
const { open, page, record, expire } = messagePages(test, who);

describe('the page of a message', () => {
  it('shows who sent it, what it says with its lines, and until when it opens', async () => {
    const { path } = await sendLink(test, who, {
      subject: 'Your results',
      message: 'All is well.\n\nSee you.',
      expires: END.toISOString(),
    });
    const { status, headers, text } = await page(path);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('<span>Elm Street Clinic</span>');
    expect(text).toContain('<h1>Your results</h1>');
    expect(text).toContain('>All is well.\n\nSee you.</p>');
    expect(text).toMatch(new RegExp(`until ${END_DAY} at 1[01]:00 AM E[SD]T`));
    expect(text).toContain('href="tel:+19195550100"');
    expect(text).not.toContain('Una User');
  });

  it('runs no script, is in no cache, and tells its address to nobody', async () => {
    const { headers } = await page((await sendLink(test, who)).path);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('shows what somebody wrote as what it is, never as markup', async () => {
    const hostile = '<script>alert(1)</script><img src=x onerror=alert(1)>&"\'{{url}}';
    const { path } = await sendLink(test, who, { subject: hostile, message: hostile });
    const { text } = await page(path);
    expect(text).not.toContain('<script');
    expect(text).not.toContain('<img');
    expect(text.match(/&#60;script&#62;alert\(1\)/g), 'in the title, the heading and the message').toHaveLength(3);
    expect(text).toContain('{{url}}');
  });

  it('names who sent it, with credentials, where the message says so', async () => {
    const doctor = await sender(test, { type: 'provider' });
    const { organizationId, user } = doctor;
    await createProvider(rows(), { organizationId, userId: user.id, firstName: 'Ada', lastName: 'Quinn', providerTypeId: 'MD' });
    expect((await page((await sendLink(test, doctor, { display_credentials: 1 })).path)).text).toContain('<bdi>Ada Quinn, MD</bdi>');
    expect((await page((await sendLink(test, doctor)).path)).text).not.toContain('Quinn');
    expect((await page((await sendLink(test, who, { display_credentials: 1 })).path)).text).toContain('<bdi>Una User</bdi>');
  });

  it('counts each showing, also those at the same time, and when the last one was', async () => {
    const { path, uuid } = await sendLink(test, who);
    expect(await record(uuid)).toMatchObject({ total_views: 0, last_viewed_at: null });
    await Promise.all(Array.from({ length: 8 }, () => page(path)));
    const { total_views, last_viewed_at } = await record(uuid);
    expect(total_views).toBe(8);
    expect(Math.abs(Date.parse(last_viewed_at) - Date.now())).toBeLessThan(60_000);
  });

  it('counts nobody who only looks ahead, and shows them nothing', async () => {
    const { path, uuid } = await sendLink(test, who, { message: 'Private words' });
    expect((await page(path, { method: 'HEAD' })).status).toBe(200);
    for (const headers of [
      { 'sec-purpose': 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
      { 'x-moz': 'prefetch' },
      { 'x-purpose': 'preview' },
    ]) {
      const ahead = await page(path, { headers });
      expect([ahead.status, ahead.text], JSON.stringify(headers)).toEqual([204, '']);
    }
    expect(await record(uuid)).toMatchObject({ total_views: 0, last_viewed_at: null });
  });

  it.each([
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'WhatsApp/2.23.20.0 A',
    'TelegramBot (like TwitterBot)',
    'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
    'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
    'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
    'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1)',
  ])('shows a preview by %s a cover, and counts and audits nothing', async (agent) => {
    const own = await sender(test);
    const { uuid: file } = (await upload(test, own, 'hello')).body.data;
    const { path, uuid } = await sendLink(test, own, { message: 'Private words', attachments: [file] });
    const since = new Date();
    for (const at of [path, `${path}/files/${file}`])
      for (const method of ['GET', 'HEAD']) {
        const { status, text } = await page(at, { method, headers: { 'user-agent': agent } });
        expect(status).toBe(200);
        expect(text).not.toMatch(/Private words|Elm Street|hello/);
      }
    expect((await own.get(`/external-messages/${uuid}`)).body.data).toMatchObject({
      total_views: 0,
      total_downloads: 0,
      last_viewed_at: null,
    });
    const audited = { organizationId: own.organizationId, actor: 'link:external_message', at: { gte: since } };
    expect(await rows().auditEntry.count({ where: audited })).toBe(0);
  });

  it('is the same for previews of every link, also of one that opens nothing, and is not for a browser within an app', async () => {
    const agent = { 'user-agent': 'WhatsApp/2.23' };
    const covers = await Promise.all(['/m/1.x', '/c/1.x', '/v/1.x', '/w/1.x'].map((path) => page(path, { headers: agent })));
    expect(new Set(covers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(covers[0]?.text).toContain('<title>A secure link</title>');
    const { path, uuid } = await sendLink(test, who, { message: 'Private words' });
    const phone = 'Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 Chrome/96.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/340.0]';
    expect((await page(path, { headers: { 'user-agent': phone } })).text).toContain('Private words');
    expect(await record(uuid)).toMatchObject({ total_views: 1 });
  });

  it('is audited under the link, with the patient, and leaves an event without words', async () => {
    const own = await sender(test);
    const { organizationId } = own;
    const { id } = await createPatient(rows(), { organizationId, mobilePhone: '+19195550140' });
    const { path, uuid } = await sendLink(test, own, { sent_to: undefined, Contact: id });
    await page(path);
    const shown = await rows().auditEntry.findMany({
      where: { organizationId, actor: 'link:external_message', action: 'read' },
      orderBy: { id: 'asc' },
    });
    expect(shown.map(({ resource, resourceIds, patientIds, operation }) => [resource, resourceIds, patientIds, operation])).toEqual([
      ['external_message', [uuid], [id], 'GET /m/{token}'],
    ]);
    const events = await rows().event.findMany({ where: { organizationId, name: 'external_message.viewed' }, orderBy: { id: 'asc' } });
    expect(events.map(({ subjectId, changed }) => [subjectId, changed])).toEqual([[uuid, ['totalViews', 'lastViewedAt']]]);
  });

  it('stands in no log, by no part of its address', async () => {
    const { path } = await sendLink(test, who);
    await page(path);
    await page(`${path}x`);
    expect(test.logs.filter((line) => line.includes(path.slice(3)))).toEqual([]);
    expect(test.logs.some((line) => line.includes('GET /m/{token}'))).toBe(true);
  });
});

describe('a link that opens nothing', () => {
  it('says the same, whether it was altered, withdrawn, another practice’s or never made', async () => {
    const { path, uuid } = await sendLink(test, who);
    const last = path.at(-1) === 'A' ? 'B' : 'A';
    const { path: taken, uuid: takenId } = await sendLink(test, who);
    await who.delete(`/external-messages/${takenId}`).expect(204);
    const stranger = await sender(test);
    const moved = createSecretLink(stranger.organizationId);
    await rows().externalMessage.update({
      where: { organizationId_id: { organizationId: who.organizationId, id: uuid } },
      data: { linkHash: moved.hash },
    });
    const paths = [
      `${path.slice(0, -1)}${last}`,
      taken,
      `/m/${moved.token}`,
      `/m/${createSecretLink(who.organizationId).token}`,
      `/m/${createSecretLink(1_888_888).token}`,
      '/m/abc',
      `/m/${'x'.repeat(5_000)}`,
      '/m/%00',
      `${taken}/files/1`,
      `${taken}/files/abc`,
    ];
    const answers = await Promise.all(paths.map((one) => page(one)));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 404));
    // Each page has its own address in the link to the other language.
    expect(new Set(answers.map(({ text }) => text.replaceAll(/href="\/m\/[^"]*"/g, ''))).size).toBe(1);
    expect(answers[0]?.text).toContain('This link does not work');
    expect(answers[0]?.text).not.toContain('Elm Street');
  });

  it('says that it has expired, and whom to call, where it once opened', async () => {
    const { path, uuid } = await sendLink(test, who, { subject: 'Private words' });
    await expire(uuid);
    const { status, text } = await page(path);
    expect(status).toBe(410);
    expect(text).toContain('This message has expired');
    expect(text).toContain('(919) 555-0100');
    expect(text).not.toContain('Private words');
    expect(await record(uuid)).toMatchObject({ total_views: 0 });
  });
});

describe('a message without a code', () => {
  it('sends none, whoever asks', async () => {
    const { path } = await sendLink(test, who);
    const before = await rows().smsMessage.count({ where: { organizationId: who.organizationId } });
    for (const [one, code] of [
      [`${path}/code`, ''],
      [path, '123456'],
      [path, 'none'],
    ] as const) {
      const answer = await open(one, { method: 'POST', body: new URLSearchParams({ code }) });
      expect([answer.status, answer.headers.get('location')]).toEqual([303, path]);
    }
    expect(await rows().smsMessage.count({ where: { organizationId: who.organizationId } })).toBe(before);
  });

  it('takes no body but a form', async () => {
    const { path } = await sendLink(test, who);
    const answer = await open(path, { method: 'POST', body: '<code/>', headers: { 'content-type': 'text/xml' } });
    expect(answer.status).toBe(415);
    expect(await answer.text()).toContain('<h1>This did not work</h1>');
    await send(who);
  });
});

describe('a message with a code', () => {
  it('has a cookie that is sent over https alone, where the server is reached by it', async () => {
    const secure = await startTestApp({ PUBLIC_URL: 'https://clinic.example.org' }, { databaseUrl: test.databaseUrl });
    const { path, code } = await askForCode(test, who);
    const { cookie } = await postForm(secure, path, { code });
    await secure.close();
    expect(cookie).toMatch(/^__Secure-opened=.*; HttpOnly; SameSite=Strict; Secure$/);
  });
});

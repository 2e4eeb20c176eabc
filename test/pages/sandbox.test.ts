import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sealPlaceholders } from '../../src/domain/messaging/templates/sealed-placeholders.ts';
import { setClock } from '../../src/domain/values/test-practices.ts';
import { createLocalCarrier } from '../../src/gateways/carrier/local-carrier.ts';
import { sendMails } from '../../src/jobs/sending/send-mails.ts';
import { sendTexts } from '../../src/jobs/sending/send-texts.ts';
import { AWAKE, openQueueing } from '../jobs/outgoing.ts';
import { ownTestApp, startTestApp } from '../support/app.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { anyNumber } from '../support/phone-numbers.ts';
import { quietNow } from '../support/quiet-hours.ts';

/** Of each test the practice that it makes. */
const testPracticeIds = [0];
let organizationId: number;
let line: string;
let number: string;
let patientId: number;
const test = await ownTestApp({}, { testPracticeIds });
const sending = openQueueing(test);
afterAll(() => sending.outbox.close());
afterEach(() => setClock(organizationId, 0));
beforeEach(async () => {
  ({ organizationId, line } = await practice('Hudson Family Practice', AWAKE));
  testPracticeIds.splice(0, 1, organizationId);
  number = anyNumber('1919');
  const maya = { firstName: 'Maya', lastName: 'O’Neil <b>', mobilePhone: number, email: `maya-${number}@example.com` };
  patientId = (await createPatient(rows(), { organizationId, languageCode: 'spa', ...maya })).id;
});

const rows = () => test.database.prisma;
async function practice(name: string, data: object) {
  const { id } = await createOrganization(rows(), { name, ...data });
  const own = { organizationId: id, number: anyNumber('1984'), kind: 'plain', carrier: 'local', carrierId: `PN-${id}` } as const;
  return { organizationId: id, line: (await rows().phoneNumber.create({ data: own })).number };
}
const job = () =>
  sendTexts({ unitOfWork: sending.unitOfWork, keyring: test.keyring, carrier: createLocalCarrier(rows(), test.keyring), statusUrl: null });
async function text(body: string, more: object = {}) {
  const { id } = await sending.text(organizationId, { patientId, body, ...more });
  await job().run(organizationId, id);
  return id;
}
const stored = (id: number) => rows().smsMessage.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } });
const post = (path: string, form: object, origin = test.address) => test.http.post(path).type('form').set('origin', origin).send(form);
/** The path of a link with these words. */
async function follow(from: string, words: string): Promise<string> {
  const { status, text: page } = await test.http.get(from);
  expect(status).toBe(200);
  const link = [...page.matchAll(/<a [^>]*href="([^"]+)"[^>]*>([^<]*)</g)].find(([, , label]) => label?.includes(words));
  expect(link, `${words} in ${page}`).toBeDefined();
  return link?.[1] ?? '';
}
const readable = (e164: string) => `(${e164.slice(2, 5)}) ${e164.slice(5, 8)}-${e164.slice(8)}`;
const phone = () => follow('/sandbox', readable(number));

describe('the sandbox', () => {
  it('shows who got texts lately, by name, and never another practice’s', async () => {
    const other = await practice('Real Practice', AWAKE);
    const secret = anyNumber('1704');
    await sending.text(other.organizationId, { to: secret, body: 'Private.' });
    await text('See you tomorrow.');
    const { text: page } = await test.http.get('/sandbox');
    expect(page).toContain(`Maya O’Neil &#60;b&#62;, ${readable(number)}`);
    expect(page).toContain(`${readable(line)}</bdi>\n<span class="hint">telephone`);
    expect(page).not.toContain('Real Practice');
    expect(page).not.toContain(readable(secret));
    const audit = await rows().auditEntry.findMany({
      where: { organizationId, actor: 'sandbox', resource: 'patient' },
      orderBy: { id: 'asc' },
    });
    expect(audit).toMatchObject([{ resourceIds: [patientId], operation: 'GET /sandbox' }]);
  });

  it('lists neither the phone nor the mailbox of a restricted patient', async () => {
    await text('See you tomorrow.');
    await sending.mail(organizationId, { patientId, subject: 'Hello', body: 'All is well.' });
    await rows().privacyRestriction.create({ data: { organizationId, patientId, kind: 'record' } });
    await sending.text(organizationId, { to: number, body: 'The latest text to the phone is nobody’s.' });
    const { text: page } = await test.http.get('/sandbox');
    for (const told of ['Maya', readable(number), `maya-${number}`]) expect(page).not.toContain(told);
    await test.http.get(String((await post('/sandbox/phones', { practice: organizationId, number })).headers.location)).expect(200);
    expect((await rows().auditEntry.findFirst({ where: { organizationId, actor: 'sandbox' } }))?.detail).toBe('despite a restriction');
  });

  it('shows a phone: the texts as they arrived, with links to follow, and no number in the address', async () => {
    const sealed = sealPlaceholders(test.keyring, { url: 'https://clinic.example/c/1.abc?x=1&y=2' });
    await text('Please open {{url}}.', { sealed });
    const path = await phone();
    const { text: page } = await test.http.get(path);
    expect(path).not.toContain(number.slice(2));
    expect(page).toContain('<a href="https://clinic.example/c/1.abc?x&#61;1&#38;y&#61;2" target="_blank" rel="noopener">');
    expect(page).toContain('Hudson Family Practice');
    await text('<script>alert(1)</script>');
    expect((await test.http.get(path)).text).toContain('&#60;script&#62;');
  });

  it('shows no words of what has not arrived yet, and looks again by itself', async () => {
    await sending.text(organizationId, { patientId, body: 'Not there yet.' });
    await sending.mail(organizationId, { patientId, subject: 'Not there yet.', body: 'Not there yet.' });
    for (const path of [await phone(), await follow('/sandbox', `maya-${number}`)]) {
      const { text: page, headers } = await test.http.get(path);
      expect(page).toContain('is being sent.');
      expect(page).not.toContain('Not there yet.');
      expect(headers.refresh).toBe('2');
    }
  });

  it('takes an answer in the patient’s language on the whole way of a real one, until the visit is over by the clock of the practice', async () => {
    const startsAt = new Date(Date.now() + 86_400_000);
    const times = { startsAt, localStart: startsAt, endsAt: new Date(startsAt.getTime() + 1_800_000) };
    const { id: appointmentId } = await rows().appointment.create({
      data: { organizationId, patientId, timeZone: 'UTC', durationMinutes: 30, ...times },
    });
    const { id: templateId } = await rows().smsTemplate.create({
      data: { organizationId, category: 'reminder', name: 'Question', body: 'Will you come?', tracksResponse: true },
    });
    setClock(organizationId, 6 * 3_600_000);
    await text('Will you come?', { appointmentId, templateId, asks: true });
    const path = await phone();
    expect((await test.http.get(path)).text).toContain('value="Sí"');
    expect((await post(`${path}/texts`, { to: line, quick: 'Sí', body: '' })).headers.location).toBe(path);
    setClock(organizationId, 30 * 3_600_000);
    await post(`${path}/texts`, { to: line, body: 'No' });
    expect(await rows().appointment.count({ where: { organizationId, confirmation: 'Yes', confirmedBy: 'patient' } })).toBe(1);
    expect((await test.http.get(path)).text).toMatch(/From this phone/);
    expect(await rows().event.findFirst({ where: { organizationId, name: 'text.received' } })).toMatchObject({ actor: 'carrier' });
    expect((await post(`${path}/texts`, { to: line, body: '🙂'.repeat(1_600) })).status).toBe(303);
  });

  it('shows what was not sent, and why', async () => {
    await text('Hello.');
    const path = await phone();
    await post(`${path}/texts`, { to: line, body: 'stop' });
    await text('Hello again.');
    expect((await test.http.get(path)).text).toContain('Not sent: this number opted out of texts (STOP)');
  });

  it('sends now what waits for the end of the quiet hours, though not to who wants none', async () => {
    await rows().organization.update({ where: { id: organizationId }, data: quietNow() });
    const id = await text('Good morning.');
    const path = await phone();
    expect((await test.http.get(path)).text).toMatch(/Waits until \w{3} \d/);
    expect((await post(`${path}/texts/${id}/now`, {})).status).toBe(303);
    expect(await stored(id)).toMatchObject({ state: 'sent' });
    expect(await rows().auditEntry.count({ where: { organizationId, actor: 'sandbox', action: 'update', resource: 'text' } })).toBe(1);
    expect((await post(`${path}/texts/${id}/now`, {})).status).toBe(409);
    const unwanted = await text('Another.');
    await rows().patient.update({ where: { organizationId_id: { organizationId, id: patientId } }, data: { doNotSms: true } });
    await post(`${path}/texts/${unwanted}/now`, {});
    expect(await stored(unwanted)).toMatchObject({ state: 'suppressed', reason: 'do_not_sms' });
  });

  it('shows a mailbox with links to follow', async () => {
    const sealed = sealPlaceholders(test.keyring, { url: 'https://clinic.example/m/1.abc' });
    const { id } = await sending.mail(organizationId, { patientId, subject: 'A message & more', body: 'Open {{url}}', sealed });
    const mailer = test.services.gateways.mailer;
    await sendMails({ unitOfWork: sending.unitOfWork, mailer, keyring: test.keyring }).run(organizationId, id);
    const path = await follow('/sandbox', `maya-${number}`);
    expect(path).not.toContain('maya');
    const { text: page } = await test.http.get(path);
    expect(page).toContain('A message &#38; more');
    expect(page).toContain('<a href="https://clinic.example/m/1.abc"');
  });

  it('opens the phone of any number', async () => {
    const opened = await post('/sandbox/phones', { practice: organizationId, number: '910 555 0123' });
    expect(opened.status).toBe(303);
    expect((await test.http.get(String(opened.headers.location))).text).toContain('(910) 555-0123');
    expect((await post('/sandbox/phones', { practice: organizationId, number: 'none' })).status).toBe(400);
    expect((await post('/sandbox/phones', { practice: organizationId + 1_000, number: '910 555 0123' })).status).toBe(400);
  });

  it('calls the practice, and leaves a message', async () => {
    expect((await test.http.get('/sandbox/call')).text).toContain(`<option value="${line}">`);
    const left = await post('/sandbox/call', { from: '(910) 555-0123', to: line, words: 'Please call me back.' });
    expect(left.headers.location).toBe('/sandbox/call?became=message');
    expect((await test.http.get('/sandbox/call?became=message')).text).toContain('your message was left');
    expect(await rows().voicePagerMessage.findMany({ where: { organizationId }, orderBy: { id: 'asc' } })).toMatchObject([
      { fromNumber: '+19105550123', transcript: 'Please call me back.', durationSeconds: 2 },
    ]);
    expect(await rows().incomingCall.findMany({ where: { organizationId }, orderBy: { id: 'asc' } })).toMatchObject([
      { status: 'completed', endedAt: expect.any(Date) },
    ]);
    await rows().phoneNumber.updateMany({ where: { organizationId }, data: { kind: 'fax' } });
    expect((await post('/sandbox/call', { from: '(910) 555-0123', to: line })).headers.location).toBe('/sandbox/call?became=rejected');
  });

  it('says at the field that a number is none, and keeps what was said', async () => {
    const refused = await post('/sandbox/call', { from: '12 <b>', to: line, words: 'I am <late>.' }).expect(400);
    const said = ['is not a telephone number', 'value="12 &#60;b&#62;"', 'I am &#60;late&#62;.</textarea>', `value="${line}" selected`];
    expect(said.filter((words) => !refused.text.includes(words))).toEqual([]);
  });
});

describe('for whom there is no sandbox', () => {
  const unknown = async (get: () => PromiseLike<{ status: number; body: object; headers: object }>) => {
    const [{ status, body, headers }, { body: same }] = [await get(), await test.http.get('/no-such-path')];
    expect([status, body]).toEqual([404, { ...same, request_id: expect.any(String) }]);
    expect(headers).not.toHaveProperty('refresh');
  };

  it.each([
    ['another name for this machine', { host: 'sandbox.example' }],
    ['a name that only looks like it', { host: '127.0.0.1.example.com' }],
    ['a proxy', { 'x-forwarded-for': '127.0.0.1' }],
    ['a proxy of the standard kind', { forwarded: 'for=127.0.0.1' }],
  ])('%s', (_, headers) => unknown(() => test.http.get('/sandbox').set(headers)));

  it('another machine', async () => {
    const there = (remoteAddress: string) => test.app.inject({ url: '/sandbox', headers: { host: '127.0.0.1' }, remoteAddress });
    const answers = await Promise.all(['192.0.2.7', '127.0.0.1', '::1'].map(there));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 200, 200]);
  });

  it.each([
    ['production', { NODE_ENV: 'production', PUBLIC_URL: 'https://clinic.example', TRIPTYCH_MAIL: 'local' }, { testPracticeIds: [1] }],
    ['a server without the demo', {}, {}],
  ])('%s', async (_, env, options) => {
    const other = await startTestApp(env, { databaseUrl: test.databaseUrl, ...options });
    try {
      for (const path of ['/sandbox', '/sandbox/call', ...('NODE_ENV' in env ? ['/design'] : [])])
        await unknown(() => other.http.get(path));
      expect((await other.http.get('/').expect(200)).text, 'its front page names none').not.toContain('/sandbox');
    } finally {
      await other.close();
    }
  });

  it('forms of other sites', async () => {
    for (const origin of ['https://evil.example', 'null'])
      expect((await post('/sandbox/call', { from: '9105550123', to: line }, origin)).status).toBe(403);
    expect((await test.http.post('/sandbox/call').type('form').send({ from: '9105550123', to: line })).status).toBe(403);
    const crossed = test.http.post('/sandbox/call').type('form').set({ 'sec-fetch-site': 'cross-site', origin: test.address });
    expect((await crossed.send({ from: '9105550123', to: line })).status).toBe(403);
    expect(await rows().incomingCall.count({ where: { organizationId } })).toBe(0);
  });

  it('altered addresses of phones, and those of other practices', async () => {
    await text('Hello.');
    const path = await phone();
    expect((await test.http.get(`${path}x`)).status).toBe(404);
    testPracticeIds.splice(0, 1, organizationId + 1_000);
    expect((await test.http.get(path)).status).toBe(404);
  });
});

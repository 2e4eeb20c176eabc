import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { statusAddress } from '../../src/gateways/carrier/carrier.ts';
import { CARRIER_WEBHOOK } from '../../src/gateways/carrier/create-carrier.ts';
import { LOCAL_SIGNATURE } from '../../src/gateways/carrier/local-carrier.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp, startTestApp, type TestApp } from '../support/app.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { anyNumber } from '../support/phone-numbers.ts';
import { type Form, sendWebhook } from './signing.ts';

const test = await ownTestApp({ RATE_LIMIT_ANONYMOUS: '5' });
let organizationId: number;
let ours: string;
let theirs: string;
beforeEach(async () => {
  organizationId = (await createOrganization(rows(), { name: 'Smith & Sons' })).id;
  ours = await number('plain');
  theirs = anyNumber('1919');
});

const rows = () => test.database.prisma;
async function number(kind: 'plain' | 'fax' | 'voice_pager'): Promise<string> {
  const row = { organizationId, number: anyNumber('1984'), kind, carrier: 'local', carrierId: randomUUID() };
  return (await rows().phoneNumber.create({ data: row })).number;
}
const at = () => new Date().toISOString();
const text = (body = 'Where do I park?'): Form => ({ kind: 'text', id: `SM-${randomUUID()}`, from: theirs, to: ours, body, at: at() });
const call = (more: object = {}): Form => ({
  kind: 'call',
  id: `CA-${randomUUID()}`,
  from: theirs,
  to: ours,
  status: 'ringing',
  startedAt: at(),
  ...more,
});
const message = (more: object = {}): Form => ({
  kind: 'voice_message',
  id: `RE-${randomUUID()}`,
  from: theirs,
  to: ours,
  at: at(),
  ...more,
});
const events = async () =>
  (await rows().event.findMany({ where: { organizationId }, orderBy: { id: 'asc' } })).map(({ name, actor }) => [name, actor]);

describe('what the carrier tells', () => {
  it('of a text is stored once though it is told ten times at once, and again later', async () => {
    const patient = await createPatient(rows(), { organizationId, mobilePhone: theirs });
    const form = text();
    const answers = await Promise.all(Array.from({ length: 10 }, () => sendWebhook(test, form)));
    answers.push(await sendWebhook(test, form));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 11 }, () => 200));
    expect(await rows().smsMessage.findMany({ where: { organizationId }, orderBy: { id: 'asc' } })).toMatchObject([
      { direction: 'inbound', carrierId: form.id, body: 'Where do I park?', patientId: patient.id },
    ]);
    expect(await events()).toEqual([
      ['text.received', 'carrier'],
      ['inbox_item.opened', 'carrier'],
    ]);
    const audited = await rows().auditEntry.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
    expect(audited).toMatchObject(
      ['text', 'inbox_item'].map((resource) => ({ actor: 'carrier', resource, operation: 'POST /webhooks/carrier' })),
    );
  });

  it('of a text to a number that was released less than a day ago is stored as before', async () => {
    const admin = await signedInUser(test, { type: 'admin', organizationId });
    const [released] = await rows().phoneNumber.findMany({ where: { organizationId, number: ours } });
    await rows().phoneNumber.create({
      data: { organizationId, number: anyNumber('1984'), kind: 'plain', carrier: 'local', carrierId: 'PN-x' },
    });
    await admin.post('/fax-numbers').send({ number: ours }).expect(201);
    await admin.delete(`/fax-numbers/${released?.id}`).expect(204);
    expect((await sendWebhook(test, text())).status).toBe(200);
    expect(await rows().smsMessage.count({ where: { organizationId, toNumber: ours, direction: 'inbound' } })).toBe(1);
  });

  it('of a text is read beside fields with the names of what every object has, which are signed like others', async () => {
    const fields: Form = JSON.parse('{"__proto__":"1","constructor":"2","toString":"3"}');
    const form = { ...text(), ...fields };
    Object.defineProperty(form, '__proto__', { value: '1', enumerable: true });
    expect((await sendWebhook(test, form)).status).toBe(200);
    expect(await rows().smsMessage.count({ where: { organizationId, body: 'Where do I park?' } })).toBe(1);
    expect((await sendWebhook(test, form, { signature: 'another' })).status).toBe(403);
  });

  it('of a text is stored with what another telephone could not write', async () => {
    expect((await sendWebhook(test, text('Thank you \ufffd'))).status).toBe(200);
    expect(await rows().smsMessage.count({ where: { organizationId, body: 'Thank you \ufffd' } })).toBe(1);
  });

  it('of a STOP ends texts to that number, and is answered from the number that was written to', async () => {
    expect((await sendWebhook(test, text('Stop'))).status).toBe(200);
    expect(await rows().optOut.count({ where: { organizationId, number: theirs, optedOut: true } })).toBe(1);
    const reply = await rows().smsMessage.findFirstOrThrow({ where: { organizationId, direction: 'outbound' } });
    expect(reply).toMatchObject({ fromNumber: ours, toNumber: theirs, state: 'queued' });
    const jobs = await rows().$queryRaw<
      unknown[]
    >`SELECT 1 FROM queue.job WHERE (data->>'id')::bigint = ${reply.id} AND name = 'send-text'`;
    expect(jobs).toHaveLength(1);
  });

  it('of a call is stored once, and a message is taken', async () => {
    const form = call();
    const answers = await Promise.all(Array.from({ length: 10 }, () => sendWebhook(test, form)));
    for (const { body } of answers)
      expect(body).toEqual({ kind: 'take_message', greeting: expect.stringContaining('You have reached Smith & Sons.') });
    const over = await sendWebhook(test, { ...form, status: 'completed', endedAt: at() });
    expect(over.body).toEqual({ kind: 'nothing' });
    expect(await rows().incomingCall.findMany({ where: { organizationId }, orderBy: { id: 'asc' } })).toMatchObject([
      { status: 'completed', fromNumber: theirs },
    ]);
  });

  it('of a call on a fax number is stored, and the call is not taken', async () => {
    const answer = await sendWebhook(test, call({ to: await number('fax') }));
    expect(answer.body).toEqual({ kind: 'reject' });
    expect(await rows().incomingCall.count({ where: { organizationId } })).toBe(1);
  });

  it('of a message is stored once, and its words when they come', async () => {
    const form = message({ to: await number('voice_pager'), durationSeconds: '9' });
    await Promise.all(Array.from({ length: 10 }, () => sendWebhook(test, form)));
    await Promise.all(Array.from({ length: 10 }, () => sendWebhook(test, { ...form, transcript: 'Please call me back.' })));
    expect(await rows().voicePagerMessage.findMany({ where: { organizationId }, orderBy: { id: 'asc' } })).toMatchObject([
      { carrierId: form.id, durationSeconds: 9, transcript: 'Please call me back.' },
    ]);
    expect((await events()).map(([name]) => name)).toEqual([
      'contact.added',
      'voice_message.received',
      'inbox_item.opened',
      'voice_message.changed',
    ]);
  });

  it('of a text that was sent is noted on that text, once', async () => {
    const data = { organizationId, direction: 'outbound', toNumber: theirs, body: 'Hi', state: 'sent', attempts: 1 } as const;
    const carrierId = `SM-${randomUUID()}`;
    const { id } = await rows().smsMessage.create({ data: { ...data, carrierId } });
    const path = statusAddress(`${test.address}${CARRIER_WEBHOOK}`, `text-${organizationId}-${id}`).slice(test.address.length);
    const form = { kind: 'status', id: carrierId, state: 'delivered', at: at() };
    const answers = await Promise.all(Array.from({ length: 10 }, () => sendWebhook(test, form, { path })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await rows().smsMessage.findFirst({ where: { organizationId } })).toMatchObject({ state: 'delivered' });
    expect((await events()).map(([name]) => name)).toEqual(['text.delivered']);
    const other = await createOrganization(rows());
    const foreign = statusAddress(`${test.address}${CARRIER_WEBHOOK}`, `text-${other.id}-${id}`).slice(test.address.length);
    expect((await sendWebhook(test, { ...form, state: 'failed' }, { path: foreign })).status).toBe(200);
    expect(await rows().event.count({ where: { organizationId: other.id } })).toBe(0);
  });

  it('on a number that is nobody’s here is ignored, and no number is logged', async () => {
    const nobody = anyNumber('1704');
    for (const form of [text(), message()]) {
      const { status, body } = await sendWebhook(test, { ...form, to: nobody });
      expect([status, body]).toEqual([200, { kind: 'nothing' }]);
    }
    expect((await sendWebhook(test, call({ to: nobody }))).body).toEqual({ kind: 'reject' });
    expect(await events()).toEqual([]);
    expect(test.logs.filter((line) => line.includes('for nobody here'))).toHaveLength(3 + 1);
    for (const line of test.logs) for (const secret of [nobody, theirs, ours]) expect(line).not.toContain(secret.slice(2));
  });

  it('is not limited, however much it is', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => sendWebhook(test, text())));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe('what the carrier did not tell', () => {
  let strict: TestApp;
  beforeAll(async () => {
    strict = await startTestApp({ RATE_LIMIT_ANONYMOUS: '8', TRUST_PROXY: '127.0.0.1' }, { databaseUrl: test.databaseUrl });
  });
  afterAll(() => strict.close());
  const from = (address: string, form: Form, options = {}) => sendWebhook(strict, form, options).set('x-forwarded-for', address);

  it('is refused, and has no effect', async () => {
    const { address } = test;
    expect(address).not.toBe(strict.address);
    const form = text();
    const good = (await sendWebhook(test, form)).status;
    expect(good).toBe(200);
    expect((await from('192.0.2.1', text(), { signature: '' })).status).toBe(403);
    expect((await from('192.0.2.1', { ...text(), body: 'STOP' }, { signature: 'test.AAAA' })).status).toBe(403);
    expect((await from('192.0.2.1', text(), { path: `${CARRIER_WEBHOOK}?reference=text-1-1`, signature: 'test.AAAA' })).status).toBe(403);
    expect(await rows().smsMessage.count({ where: { organizationId } })).toBe(1);
    expect(await rows().optOut.count({ where: { organizationId } })).toBe(0);
  });

  it('is limited by address', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 9; index += 1) statuses.push((await from('192.0.2.2', text(), { signature: 'x' })).status);
    expect(statuses).toEqual([...Array.from({ length: 8 }, () => 403), 429]);
    expect((await from('192.0.2.2', text())).status).toBe(200);
  });

  it('is refused as malformed where it is signed and says nothing, and where it is no form', async () => {
    expect((await from('192.0.2.3', { kind: 'fax' })).status).toBe(400);
    const post = () => strict.http.post(CARRIER_WEBHOOK).set({ 'x-forwarded-for': '192.0.2.3', [LOCAL_SIGNATURE]: 'x' });
    const twice = await post().type('form').send('kind=text&kind=call');
    expect(twice.status).toBe(400);
    const json = await post().send({ kind: 'text' });
    expect(json.status).toBe(415);
    const long = `kind=text&body=${'x'.repeat(70_000)}`;
    expect((await post().type('form').send(long)).status).toBe(413);
    // Without a signature nothing is read.
    expect((await strict.http.post(CARRIER_WEBHOOK).type('form').send(long)).status).toBe(403);
    expect((await strict.http.get(CARRIER_WEBHOOK)).status).toBe(405);
  });
});

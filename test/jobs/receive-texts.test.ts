import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jobCaller } from '../../src/domain/caller.ts';
import { type InboundText, receiveText } from '../../src/domain/messaging/inbound/inbound-texts.ts';
import { sharedTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { anyNumber } from '../support/phone-numbers.ts';
import { openQueueing, practiceWithNumber } from './outgoing.ts';

let organizationId: number;
let number: string;
let patientId: number;
const test = await sharedTestApp();
const sending = openQueueing(test);

beforeAll(async () => {
  await sending.outbox.open();
  organizationId = await practiceWithNumber(test, { name: 'Hudson', phone: '+19105550177' });
});
afterAll(() => sending.outbox.close());
beforeEach(async () => {
  number = anyNumber();
  patientId = (await createPatient(rows(), { organizationId, mobilePhone: number })).id;
});

const rows = () => test.database.prisma;
const OURS = '+19105550100';

type Told = Partial<Pick<InboundText, 'id' | 'from' | 'optOut'>> & { of?: number };
const receive = (body: string, { from = number, id = `SM-${randomUUID()}`, of = organizationId, optOut }: Told = {}) =>
  sending.unitOfWork.write(jobCaller(of, 'test'), (tx) => receiveText(tx, { id, from, to: OURS, body, at: new Date(), optOut }));
/** The kinds of the patient's entries in the inbox, with the appointments that their texts name. */
const waiting = async () => {
  const entries = await rows().inboxEntry.findMany({ where: { organizationId, item: { patientId } }, orderBy: { id: 'asc' } });
  const texts = await rows().smsMessage.findMany({ where: { organizationId, id: { in: entries.map(({ subjectId }) => subjectId) } } });
  return entries.map(({ kind, subjectId }) => [kind, texts.find(({ id }) => id === subjectId)?.appointmentId]);
};
const replies = async (to = number) =>
  (await rows().smsMessage.findMany({ where: { organizationId, toNumber: to, isReply: true }, orderBy: { id: 'asc' } })).map(
    ({ body }) => body,
  );
const ledger = async () =>
  (await rows().optOut.findMany({ where: { organizationId, number }, orderBy: { id: 'asc' } })).map(({ keyword, optedOut, source }) => [
    keyword,
    optedOut,
    source,
  ]);

/** An appointment, and a text that asks the patient to confirm it. */
async function ask({ startsAt = new Date(Date.now() + 86_400_000), asked = new Date(), tracks = true, data = {} } = {}) {
  const times = { startsAt, localStart: startsAt, endsAt: new Date(startsAt.getTime() + 1_800_000) };
  const appointment = await rows().appointment.create({
    data: { organizationId, patientId, timeZone: 'UTC', durationMinutes: 30, ...times, ...data },
  });
  const { id: templateId } = await rows().smsTemplate.create({
    data: { organizationId, category: randomUUID(), name: 'Question', body: 'Will you come?', tracksResponse: tracks },
  });
  const text = { organizationId, direction: 'outbound', fromNumber: OURS, toNumber: number, body: 'Will you come?' } as const;
  const about = { patientId, appointmentId: appointment.id, templateId };
  const named = { appointmentId: appointment.id, patientId, startsAt, question: tracks ? ('open' as const) : null };
  const { id: smsMessageId } = await rows().smsMessage.create({ data: { ...text, ...about, state: 'sent', attempts: 1, queuedAt: asked } });
  await rows().textAppointment.create({ data: { organizationId, smsMessageId, ...named } });
  return appointment.id;
}
const confirmation = async (id: number) => {
  const found = await rows().appointment.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } });
  return [found.confirmation, found.confirmedBy];
};

describe('a text that comes in', () => {
  it('is stored once, however often it is told of, also at the same time', async () => {
    const id = `SM-${randomUUID()}`;
    const stored = await Promise.all(Array.from({ length: 6 }, () => receive('Where do I park?', { id })));
    expect(stored.filter((one) => one !== null)).toHaveLength(1);
    expect(await receive('Where do I park?', { id })).toBeNull();
    const found = await rows().smsMessage.findMany({ where: { organizationId, carrierId: id }, orderBy: { id: 'asc' } });
    expect(found).toMatchObject([{ direction: 'inbound', state: 'received', body: 'Where do I park?', patientId, fromNumber: number }]);
    expect(await replies()).toEqual([]);
  });

  it('from an unknown number belongs to no patient', async () => {
    const from = anyNumber('1704');
    expect(await receive('Hello?', { from })).toMatchObject({ patientId: null, appointmentId: null });
  });

  it('from the number of a restricted patient is theirs, and makes no contact of a stranger', async () => {
    await rows().privacyRestriction.create({ data: { organizationId, patientId, kind: 'record' } });
    expect(await receive('Hello')).toMatchObject({ patientId });
    expect(await rows().contact.count({ where: { organizationId, phone: number } })).toBe(0);
  });

  it('from a number that a restricted patient shares is theirs, unless it goes on with somebody else', async () => {
    const { id: relative } = await createPatient(rows(), { organizationId, homePhone: number });
    await rows().privacyRestriction.create({ data: { organizationId, patientId: relative, kind: 'record' } });
    expect(await receive('Hello')).toMatchObject({ patientId: relative });
    const appointmentId = await ask({ asked: new Date(Date.now() - 3 * 86_400_000) });
    expect(await receive('I have a question')).toMatchObject({ patientId: relative });
    expect(await receive('Yes')).toMatchObject({ patientId, appointmentId });
    await ask({ tracks: false });
    expect(await receive('Where do I park?')).toMatchObject({ patientId });
    const last = {
      organizationId,
      direction: 'outbound',
      fromNumber: OURS,
      toNumber: number,
      body: 'Hi',
      state: 'sent',
      attempts: 1,
    } as const;
    await rows().smsMessage.create({ data: { ...last, patientId: relative } });
    expect(await receive('Thank you')).toMatchObject({ patientId: relative });
  });

  it('is stored whole whatever it holds', async () => {
    expect(await receive('a\0b\ud800 🙂')).toMatchObject({ body: 'ab\ufffd 🙂' });
  });
});

describe('keywords', () => {
  it('STOP goes into the ledger, and is answered once', async () => {
    await receive('Stop.');
    await receive('STOP');
    expect(await ledger()).toEqual([
      ['Stop.', true, 'text'],
      ['STOP', true, 'text'],
    ]);
    expect(await replies()).toEqual(['Hudson: you will get no more texts from us. Reply START to get texts again.']);
  });

  it('other words end texts as STOP does, and staff are told; those that only ask for texts again bring them back', async () => {
    for (const body of ['Please stop texting me', 'déjenme en paz', 'you can text me again', 'stop by at 3?']) await receive(body);
    expect((await ledger()).map(([, optedOut]) => optedOut)).toEqual([true, true, false]);
    expect((await replies()).map((reply) => /no more texts|texts from us again/.exec(reply)?.[0])).toEqual([
      'no more texts',
      'texts from us again',
    ]);
    const waiting = { where: { organizationId, item: { patientId } }, orderBy: { id: 'asc' } } as const;
    expect((await rows().inboxEntry.findMany(waiting)).map(({ kind }) => kind)).toEqual(['revoked', 'revoked', 'text', 'text']);
  });

  it('the answer goes out from the number that was written to, though the number has opted out', async () => {
    await receive('STOP');
    const reply = await rows().smsMessage.findFirstOrThrow({ where: { organizationId, toNumber: number, isReply: true } });
    expect(reply).toMatchObject({ fromNumber: OURS, state: 'queued' });
    const jobs = await rows().$queryRaw<unknown[]>`
      SELECT id FROM queue.job WHERE name = 'send-text' AND (data->>'id')::bigint = ${reply.id} AND (data->>'organizationId')::int = ${organizationId}`;
    expect(jobs).toHaveLength(1);
  });

  it('START and, from who had stopped, YES begin anew', async () => {
    for (const body of ['STOP', 'START', 'STOP', 'YES']) await receive(body);
    expect((await ledger()).map(([, optedOut]) => optedOut)).toEqual([true, false, true, false]);
  });

  it('HELP tells whom to call, and changes nothing', async () => {
    await receive('help?');
    expect(await replies()).toEqual([
      'Hudson: call (910) 555-0177 for help. Message and data rates may apply. Reply STOP to get no more texts.',
    ]);
    expect(await ledger()).toEqual([]);
  });

  it('YES from who had not stopped is no keyword', async () => {
    await receive('YES');
    expect(await ledger()).toEqual([]);
    expect(await replies()).toEqual([]);
  });
});

describe('a word that cancels, after a question about a visit', () => {
  it('ends no texts in Spanish or in a phrase: staff see which visit, and the patient is asked what was meant', async () => {
    const appointmentId = await ask();
    for (const body of ['Cancelar', 'cancel it please']) await receive(body);
    expect(await ledger()).toEqual([]);
    expect(await waiting()).toEqual([
      ['text', appointmentId],
      ['text', appointmentId],
    ]);
    expect((await replies())[0]).toMatch(/^Can you come on .*\? Reply Y or N\.$/);
    expect(await confirmation(appointmentId)).toEqual(['Pending', null]);
  });

  it('ends texts as CANCEL alone, and names the visit to staff', async () => {
    const appointmentId = await ask();
    await receive('Cancel');
    expect([await ledger(), await waiting()]).toEqual([[['Cancel', true, 'text']], [['revoked', appointmentId]]]);
  });

  it('ends texts in any form where nothing was asked, or where the carrier says so', async () => {
    await receive('cancelar');
    const appointmentId = await ask();
    await receive('Cancelar', { optOut: 'stop' });
    expect((await ledger()).map(([, optedOut]) => optedOut)).toEqual([true, true]);
    expect(await waiting()).toEqual([
      ['revoked', null],
      ['revoked', appointmentId],
    ]);
  });
});

describe('what the carrier took for a keyword', () => {
  it('is one in whatever words, and was answered by the carrier', async () => {
    await receive('basta ya con esto', { optOut: 'stop' });
    await receive('sigan', { optOut: 'start' });
    await receive('???', { optOut: 'help' });
    expect((await ledger()).map(([, optedOut]) => optedOut)).toEqual([true, false]);
    expect([await replies(), await waiting()]).toEqual([[], []]);
  });
});

describe('an answer', () => {
  it.each([
    ['Y', 'Yes', 'appointment.confirmed'],
    ['Yes, thank you!', 'Yes', 'appointment.confirmed'],
    ['n', 'No', 'appointment.declined'],
  ])('%s is noted on the appointment, as the patient’s', async (body, answer, name) => {
    const id = await ask();
    expect(await receive(body)).toMatchObject({ appointmentId: id, patientId });
    expect(await confirmation(id)).toEqual([answer, 'patient']);
    const event = await rows().event.findFirst({ where: { organizationId, subjectType: 'appointment', subjectId: id } });
    expect(event).toMatchObject({ name, changed: ['confirmation'], actor: 'job:test' });
  });

  it.each([
    ['whose appointment is over', { startsAt: new Date(Date.now() - 60_000) }],
    ['that no template asked', { tracks: false }],
  ])('does not answer a text %s', async (_, options) => {
    const id = await ask(options);
    expect(await receive('Y')).toMatchObject({ appointmentId: null });
    expect(await confirmation(id)).toEqual(['Pending', null]);
  });

  it('in other words leaves the question open', async () => {
    const id = await ask();
    await receive('Can I come at 3 instead?');
    expect(await confirmation(id)).toEqual(['Pending', null]);
    await receive('ok');
    expect(await confirmation(id)).toEqual(['Yes', 'patient']);
  });

  it('from another number, or to another practice, answers nothing', async () => {
    const id = await ask();
    await receive('Y', { from: anyNumber('1704') });
    await receive('Y', { of: await practiceWithNumber(test) });
    expect(await confirmation(id)).toEqual(['Pending', null]);
  });
});

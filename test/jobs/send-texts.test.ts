import { afterAll, describe, expect, it } from 'vitest';
import { jobCaller } from '../../src/domain/caller.ts';
import { recordOptIn, recordOptOut } from '../../src/domain/messaging/recipients/consent.ts';
import { prepareText } from '../../src/domain/messaging/sending/outgoing-texts.ts';
import { sealPlaceholders } from '../../src/domain/messaging/templates/sealed-placeholders.ts';
import type { Tx } from '../../src/domain/tx.ts';
import { type Carrier, CarrierRefusal } from '../../src/gateways/carrier/carrier.ts';
import { createLocalCarrier } from '../../src/gateways/carrier/local-carrier.ts';
import { sendTexts } from '../../src/jobs/sending/send-texts.ts';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { arrivedTexts } from '../support/arrived.ts';
import { createOffice, createPatient } from '../support/factories.ts';
import { anyNumber } from '../support/phone-numbers.ts';
import { openQueueing, practiceWithNumber } from './outgoing.ts';

const test = await sharedTestApp();
const sending = openQueueing(test);
const carrier: Carrier = createLocalCarrier(test.database.prisma, test.keyring);
const organizationId = await practiceWithNumber(test);
afterAll(() => sending.outbox.close());

const rows = () => test.database.prisma;
const patient = (data: object = {}, of = organizationId) =>
  createPatient(rows(), { organizationId: of, mobilePhone: anyNumber(), ...data });
const job = (by: Partial<Carrier> = {}) =>
  sendTexts({ unitOfWork: sending.unitOfWork, keyring: test.keyring, carrier: { ...carrier, ...by }, statusUrl: null });
const find = (id: number, of = organizationId) =>
  rows().smsMessage.findUniqueOrThrow({ where: { organizationId_id: { organizationId: of, id } } });
const arrived = (id: number, of = organizationId) => arrivedTexts(rows(), test.keyring, { reference: `text-${of}-${id}` });
const inWork = <T>(run: (tx: Tx) => Promise<T>, of = organizationId) => sending.unitOfWork.write(jobCaller(of, 'test'), run);

describe('a queued text', () => {
  it('arrives at the carrier once, however often its job is run', async () => {
    const { id: patientId, mobilePhone } = await patient();
    const { id } = await sending.text(organizationId, { patientId, body: 'See you tomorrow.' });
    await Promise.all([1, 2, 3].map(() => job().run(organizationId, id)));
    expect(await job().run(organizationId, id)).toBe('done');
    const [text, ...others] = await arrived(id);
    expect(others).toEqual([]);
    expect(text).toMatchObject({ fromNumber: expect.stringMatching(/^\+1984/), toNumber: mobilePhone, body: 'See you tomorrow.' });
    expect(await find(id)).toMatchObject({ state: 'sent', carrierId: text?.id, reason: null });
  });

  it('leaves with its link, of which the row keeps nothing then, nor once it has failed', async () => {
    const url = 'https://clinic.example/c/1.abc';
    const write = () =>
      sending.text(organizationId, { to: anyNumber(), body: 'See {{url}}', sealed: sealPlaceholders(test.keyring, { url }) });
    const [left, lost] = [await write(), await write()];
    expect((await find(left.id)).sealed).not.toBeNull();
    await job().run(organizationId, left.id);
    await job().giveUp(organizationId, lost.id);
    expect(await arrived(left.id)).toMatchObject([{ body: `See ${url}` }]);
    expect(await find(left.id)).toMatchObject({ state: 'sent', body: 'See {{url}}', sealed: null });
    expect(await find(lost.id)).toMatchObject({ state: 'failed', body: 'See {{url}}', sealed: null });
  });

  it('leaves from another number of the practice where its own has become something else since', async () => {
    const of = await practiceWithNumber(test);
    const admin = await signedInUser(test, { type: 'admin', organizationId: of });
    const { id, fromNumber } = await sending.text(of, { to: anyNumber(), body: 'See you tomorrow.' });
    const other = await rows().phoneNumber.create({
      data: { organizationId: of, number: anyNumber(), kind: 'plain', carrier: 'local', carrierId: 'PN-2' },
    });
    expect((await admin.post('/fax-numbers').send({ number: fromNumber })).status).toBe(201);
    expect(await job().run(of, id)).toBe('done');
    expect(await arrived(id, of)).toMatchObject([{ fromNumber: other.number }]);
    expect(await find(id, of)).toMatchObject({ state: 'sent', fromNumber: other.number });
  });

  it('is the same text to the carrier when the answer of the first attempt was lost', async () => {
    const { id } = await sending.text(organizationId, { to: anyNumber(), body: 'Hello.' });
    const lost = job({
      sendText: async (text) => {
        await carrier.sendText(text);
        throw new Error('connection reset');
      },
    });
    expect(await lost.run(organizationId, id)).toEqual({ again: 'carrier_unreachable' });
    expect(await find(id)).toMatchObject({ state: 'queued', attempts: 1 });
    expect(await job().run(organizationId, id)).toBe('done');
    expect(await arrived(id)).toHaveLength(1);
    expect(await find(id)).toMatchObject({ state: 'sent', attempts: 2 });
  });

  it('has failed for good when the carrier refuses it', async () => {
    const { id } = await sending.text(organizationId, { to: anyNumber(), body: 'Hello.' });
    const refusing = job({ sendText: () => Promise.reject(new CarrierRefusal('invalid_number', '+19105550123 is none')) });
    expect(await refusing.run(organizationId, id)).toBe('done');
    expect(await find(id)).toMatchObject({ state: 'failed', reason: 'invalid_number' });
    expect(await job().run(organizationId, id)).toBe('done');
    expect(await arrived(id)).toEqual([]);
  });

  it('has failed when all attempts were in vain', async () => {
    const { id } = await sending.text(organizationId, { to: anyNumber(), body: 'Hello.' });
    await job().giveUp(organizationId, id);
    expect(await find(id)).toMatchObject({ state: 'failed', reason: 'carrier_unreachable' });
  });

  it('that was sent does not fail any more', async () => {
    const { id } = await sending.text(organizationId, { to: anyNumber(), body: 'Hello.' });
    await job().run(organizationId, id);
    await job().giveUp(organizationId, id);
    expect(await find(id)).toMatchObject({ state: 'sent' });
  });

  it('is not stored, and has no job, where its transaction fails', async () => {
    const to = anyNumber();
    const failed = sending.unitOfWork.write(jobCaller(organizationId, 'test'), async (tx) => {
      tx.journal.jobs.push({ queue: 'send-text', id: 2_000_000_000 });
      await tx.prisma.smsMessage.create({ data: { organizationId, direction: 'outbound', toNumber: to, body: 'Hi', state: 'queued' } });
      tx.journal.events.push({ name: 'text.queued', id: Number.NaN });
    });
    await expect(failed).rejects.toThrow();
    expect(await rows().smsMessage.count({ where: { organizationId, toNumber: to } })).toBe(0);
    expect(await rows().$queryRaw`SELECT id FROM queue.job WHERE data->>'id' = '2000000000'`).toEqual([]);
  });
});

describe('consent', () => {
  it.each([
    ['who wants no communication at all', { doNotCall: true }, 'do_not_call'],
    ['who wants no texts', { doNotSms: true }, 'do_not_sms'],
    ['who is deceased', { deceasedDate: new Date('2030-01-01') }, 'deceased'],
    ['whose chart was deleted since', { status: 'deleted' }, 'patient_gone'],
  ])('keeps a text from a patient %s', async (_, data, reason) => {
    const { id: patientId } = await patient(data);
    const { id } = await sending.text(organizationId, { patientId, body: 'Hello.' });
    expect(await job().run(organizationId, id)).toBe('done');
    expect(await find(id)).toMatchObject({ state: 'suppressed', reason, attempts: 0 });
    expect(await arrived(id)).toEqual([]);
  });

  it('is asked when the text is sent, not when it is queued', async () => {
    const { id: patientId } = await patient();
    const { id } = await sending.text(organizationId, { patientId, body: 'Hello.' });
    await rows().patient.update({ where: { organizationId_id: { organizationId, id: patientId } }, data: { doNotSms: true } });
    await job().run(organizationId, id);
    expect(await find(id)).toMatchObject({ state: 'suppressed', reason: 'do_not_sms' });
  });

  it('follows the newest word from a number, in this practice alone', async () => {
    const other = await practiceWithNumber(test);
    const to = anyNumber();
    const told = { number: to, source: 'text' } as const;
    const outcome = async (of: number) => {
      const { id } = await sending.text(of, { to, body: 'Hello.' });
      await job().run(of, id);
      const { state, reason } = await find(id, of);
      return [state, reason];
    };
    await inWork((tx) => recordOptOut(tx, { ...told, keyword: 'STOP' }));
    expect(await outcome(organizationId)).toEqual(['suppressed', 'opted_out']);
    expect(await outcome(other)).toEqual(['sent', null]);
    await inWork((tx) => recordOptIn(tx, { ...told, keyword: 'START' }));
    expect(await outcome(organizationId)).toEqual(['sent', null]);
  });

  it('does not keep back the answer to what somebody wrote', async () => {
    const to = anyNumber();
    await inWork((tx) => recordOptOut(tx, { number: to, source: 'text', keyword: 'STOP' }));
    const { id } = await sending.text(organizationId, { to, body: 'You get no more texts.', replyFromNumber: '+19105550100' });
    await job().run(organizationId, id);
    expect(await find(id)).toMatchObject({ state: 'sent' });
  });

  it('stores a text for a patient without a mobile number as suppressed, without a job', async () => {
    const { id: patientId } = await patient({ mobilePhone: null });
    const text = await sending.text(organizationId, { patientId, body: 'Hello.' });
    expect(text).toMatchObject({ state: 'suppressed', reason: 'no_mobile_number' });
    expect(
      await rows()
        .$queryRaw`SELECT id FROM queue.job WHERE (data->>'id')::bigint = ${text.id} AND (data->>'organizationId')::int = ${organizationId}`,
    ).toEqual([]);
  });
});

describe('quiet hours', () => {
  const EVENING = new Date('2031-01-16T03:30:00Z'); // half past ten in New York, half past seven in Los Angeles

  const decide = (id: number, of: number, now = EVENING) => inWork((tx) => prepareText(tx, id, { keyring: test.keyring, now }), of);
  const sleeping = () => practiceWithNumber(test, { quietHoursStart: '21:00', quietHoursEnd: '08:00' });

  it('put a text off to their end, with a job for then', async () => {
    const of = await sleeping();
    const { id } = await sending.text(of, { patientId: (await patient({}, of)).id, body: 'Hello.' });
    expect(await decide(id, of)).toBe('settled');
    const until = new Date('2031-01-16T13:00:00Z');
    expect(await find(id, of)).toMatchObject({ state: 'queued', notBefore: until, attempts: 0 });
    const jobs = await rows().$queryRaw<{ start_after: Date }[]>`
      SELECT start_after FROM queue.job WHERE (data->>'organizationId')::int = ${of} ORDER BY start_after DESC`;
    // The queue counts seconds from now, by the clock of its database.
    const late = (jobs[0]?.start_after.getTime() ?? 0) - until.getTime();
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(60_000);
    expect(await decide(id, of, until)).toMatchObject({ send: { body: 'Hello.' } });
  });

  it.each([
    ['the patient’s zone', { timeZone: 'America/Los_Angeles' }, 'America/New_York'],
    ['else that of the patient’s office', {}, 'America/Los_Angeles'],
  ])('are those of %s', async (_, data, officeZone) => {
    const of = await sleeping();
    const { id: primaryOfficeId } = await createOffice(rows(), { organizationId: of, timeZone: officeZone });
    const { id: patientId } = await patient({ primaryOfficeId, ...data }, of);
    const { id } = await sending.text(of, { patientId, body: 'Hello.' });
    expect(await decide(id, of)).toMatchObject({ send: { body: 'Hello.' } });
  });

  it('do not hold back what is about a visit that begins now, but an objection does', async () => {
    const of = await sleeping();
    const { id: patientId } = await patient({}, of);
    const urgent = await sending.text(of, { patientId, body: 'Join now.', urgent: true });
    expect(await decide(urgent.id, of)).toMatchObject({ send: { body: 'Join now.' } });
    const objected = await sending.text(of, {
      patientId: (await patient({ doNotSms: true }, of)).id,
      body: 'Join now.',
      urgent: true,
    });
    expect(await decide(objected.id, of)).toBe('settled');
    expect(await find(objected.id, of)).toMatchObject({ state: 'suppressed', reason: 'do_not_sms' });
    const number = anyNumber();
    await inWork((tx) => recordOptOut(tx, { number, source: 'text', keyword: 'STOP' }), of);
    const stopped = await sending.text(of, { to: number, body: 'Join now.', urgent: true });
    expect(await decide(stopped.id, of)).toBe('settled');
    expect(await find(stopped.id, of)).toMatchObject({ state: 'suppressed', reason: 'opted_out' });
  });

  it('do not hold back the answer to what just came in', async () => {
    const of = await sleeping();
    const { id } = await sending.text(of, { to: anyNumber(), body: 'Thank you.', replyFromNumber: '+19105550100' });
    expect(await decide(id, of)).toMatchObject({ send: { from: '+19105550100' } });
  });
});

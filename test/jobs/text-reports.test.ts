import { afterAll, describe, expect, it } from 'vitest';
import { jobCaller } from '../../src/domain/caller.ts';
import { recordOptIn } from '../../src/domain/messaging/recipients/consent.ts';
import { recordDeliveryReport } from '../../src/domain/messaging/sending/outgoing-texts.ts';
import type { Tx } from '../../src/domain/tx.ts';
import { type Carrier, CarrierRefusal } from '../../src/gateways/carrier/carrier.ts';
import { createLocalCarrier } from '../../src/gateways/carrier/local-carrier.ts';
import { sendTexts } from '../../src/jobs/sending/send-texts.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { anyNumber } from '../support/phone-numbers.ts';
import { createAppointment } from '../support/schedule.ts';
import { openQueueing, practiceWithNumber } from './outgoing.ts';

const test = await sharedTestApp();
const sending = openQueueing(test);
const carrier: Carrier = createLocalCarrier(test.database.prisma, test.keyring);
const organizationId = await practiceWithNumber(test);
afterAll(() => sending.outbox.close());

const rows = () => test.database.prisma;
const job = (by: Partial<Carrier> = {}) =>
  sendTexts({ unitOfWork: sending.unitOfWork, keyring: test.keyring, carrier: { ...carrier, ...by }, statusUrl: null });
const find = (id: number) => rows().smsMessage.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } });
const arrived = (id: number) => rows().carrierText.findMany({ where: { reference: `text-${organizationId}-${id}` } });
const inWork = <T>(run: (tx: Tx) => Promise<T>, of = organizationId) => sending.unitOfWork.write(jobCaller(of, 'test'), run);

describe('what the carrier reports', () => {
  const report = (id: number, carrierId: string, state: 'sent' | 'delivered' | 'failed', of = organizationId) =>
    inWork(
      (tx) => recordDeliveryReport(tx, id, { carrierId, state, reason: state === 'failed' ? 'unreachable' : null, at: new Date() }),
      of,
    );
  const listEvents = async (id: number) => {
    const events = await rows().event.findMany({ where: { organizationId, subjectType: 'text', subjectId: id }, orderBy: { id: 'asc' } });
    return events.map(({ name }) => name);
  };

  it('is noted once, and what was delivered or failed stays so', async () => {
    const { id } = await sending.text(organizationId, { to: anyNumber(), body: 'Hello.' });
    await job().run(organizationId, id);
    const { carrierId } = await find(id);
    for (const state of ['delivered', 'failed', 'sent', 'delivered'] as const) expect(await report(id, carrierId ?? '', state)).toBe(true);
    expect(await find(id)).toMatchObject({ state: 'delivered', reason: null, deliveredAt: expect.any(Date) });
    expect(await listEvents(id)).toEqual(['text.queued', 'text.sent', 'text.delivered']);
  });

  it('tells of a text that had left when its worker died, though a later attempt suppressed it or gave it up', async () => {
    const dying = job({
      async sendText(text) {
        await carrier.sendText(text);
        throw new Error('killed');
      },
    });
    const endings = [
      ['suppressed', (id: number) => job().run(organizationId, id)],
      ['failed', (id: number) => job().giveUp(organizationId, id)],
    ] as const;
    for (const [state, end] of endings) {
      const patient = await createPatient(rows(), { organizationId, mobilePhone: anyNumber() });
      const { id } = await sending.text(organizationId, { patientId: patient.id, body: 'Hello.' });
      expect(await dying.run(organizationId, id)).toEqual({ again: 'carrier_unreachable' });
      await rows().patient.update({ where: { organizationId_id: { organizationId, id: patient.id } }, data: { doNotSms: true } });
      await end(id);
      expect(await find(id)).toMatchObject({ state, attempts: 1 });
      const [{ id: carrierId } = { id: '' }] = await arrived(id);
      expect(await report(id, carrierId, 'delivered')).toBe(true);
      expect(await find(id)).toMatchObject({ state: 'delivered', reason: null, carrierId });
      expect(await listEvents(id)).toEqual(['text.queued', `text.${state}`, 'text.sent', 'text.delivered']);
    }
  });

  it('before the worker heard the carrier’s answer, is noted with that answer', async () => {
    const { id } = await sending.text(organizationId, { to: anyNumber(), body: 'Hello.' });
    const early = job({
      async sendText(text) {
        const taken = await carrier.sendText(text);
        expect(await report(id, taken.id, 'delivered')).toBe(true);
        return taken;
      },
    });
    expect(await early.run(organizationId, id)).toBe('done');
    const [{ id: carrierId } = {}] = await arrived(id);
    expect(await find(id)).toMatchObject({ state: 'delivered', carrierId, sentAt: expect.any(Date) });
    expect(await listEvents(id)).toEqual(['text.queued', 'text.sent', 'text.delivered']);
  });

  it('of a text that is not known, was not sent, has another id, or is another practice’s, changes nothing', async () => {
    expect(await report(2_147_483_647, 'SM-unknown', 'delivered')).toBe(false);
    const { id } = await sending.text(organizationId, { to: anyNumber(), body: 'Hello.' });
    expect(await report(id, 'SM-early', 'delivered')).toBe(false);
    await job().run(organizationId, id);
    const { carrierId } = await find(id);
    expect(await report(id, 'SM-other', 'failed')).toBe(false);
    const { id: other } = await createOrganization(rows());
    expect(await report(id, carrierId ?? '', 'delivered', other)).toBe(false);
    expect(await find(id)).toMatchObject({ state: 'sent', carrierId });
  });
});

describe('a recipient who opted out at the carrier', () => {
  const ledger = async (number: string) =>
    (await rows().optOut.findMany({ where: { organizationId, number }, orderBy: { id: 'asc' } })).map(({ source, optedOut }) => [
      source,
      optedOut,
    ]);
  const text = (to: string) => sending.text(organizationId, { to, body: 'Hello.' });

  it('stands in the history of consent once, by a refusal or by a report, and gets nothing more', async () => {
    const refusing = job({ sendText: () => Promise.reject(new CarrierRefusal('opted_out', 'no')) });
    const [refused, reported] = [anyNumber(), anyNumber()];
    const before = [await text(refused), await text(refused)];
    await Promise.all(before.map(({ id }) => refusing.run(organizationId, id)));
    expect(await ledger(refused)).toEqual([['carrier', true]]);
    const { id } = await text(reported);
    await job().run(organizationId, id);
    const report = { carrierId: (await find(id)).carrierId ?? '', state: 'failed', reason: 'opted_out', at: new Date() } as const;
    for (const _ of [1, 2]) await inWork((tx) => recordDeliveryReport(tx, id, report));
    expect([await find(id), await ledger(reported)]).toMatchObject([{ state: 'failed', reason: 'opted_out' }, [['carrier', true]]]);
    const later = await text(reported);
    await job().run(organizationId, later.id);
    expect(await find(later.id)).toMatchObject({ state: 'suppressed', reason: 'opted_out' });
  });

  it('who has sent START since the text left is not opted out by a late report', async () => {
    const to = anyNumber();
    const { id } = await text(to);
    await job().run(organizationId, id);
    await inWork((tx) => recordOptIn(tx, { number: to, keyword: 'START', source: 'text' }));
    const report = { carrierId: (await find(id)).carrierId ?? '', state: 'failed', reason: 'opted_out', at: new Date() } as const;
    await inWork((tx) => recordDeliveryReport(tx, id, report));
    expect(await ledger(to)).toEqual([['text', false]]);
  });
});

describe('a text about an appointment', () => {
  const patient = () => createPatient(rows(), { organizationId, mobilePhone: anyNumber() });

  it('tells its appointment whether the patient was told: null, false while it waits or where it failed, true once it is sent', async () => {
    const { id: patientId } = await patient();
    const { id: appointmentId } = await createAppointment(rows(), { organizationId, patientId, startsAt: '2031-03-04T14:00:00Z' });
    const isInitialSmsSent = async () =>
      (await rows().appointment.findFirstOrThrow({ where: { organizationId, id: appointmentId } })).initialSmsSent;
    const write = () => sending.text(organizationId, { patientId, appointmentId, body: 'See you on Tuesday.' });
    expect(await isInitialSmsSent()).toBeNull();
    const [lost, sent] = [await write(), await write()];
    expect(await isInitialSmsSent()).toBe(false);
    const refusing = job({ sendText: () => Promise.reject(new CarrierRefusal('invalid_number', 'no')) });
    await refusing.run(organizationId, lost.id);
    expect(await isInitialSmsSent()).toBe(false);
    await job().run(organizationId, sent.id);
    expect(await isInitialSmsSent()).toBe(true);
    const where = { organizationId, subjectType: 'appointment', subjectId: appointmentId };
    const events = await rows().event.findMany({ where });
    expect(events.map(({ name, changed }) => [name, changed])).toEqual(Array(2).fill(['appointment.changed', ['initialSmsSent']]));
    const { carrierId } = await find(sent.id);
    const report = { carrierId: carrierId ?? '', state: 'failed', reason: 'unreachable', at: new Date() } as const;
    await inWork((tx) => recordDeliveryReport(tx, sent.id, report));
    expect(await isInitialSmsSent()).toBe(false);
  });

  it('about an appointment that has another patient now stays here', async () => {
    const [one, other] = [await patient(), await patient()];
    const { id: appointmentId } = await createAppointment(rows(), { organizationId, patientId: one.id, startsAt: '2031-03-04T15:00:00Z' });
    const { id } = await sending.text(organizationId, { patientId: one.id, appointmentId, body: 'See you on Tuesday.' });
    await rows().appointment.update({
      where: { organizationId_id: { organizationId, id: appointmentId } },
      data: { patientId: other.id, initialSmsSent: null },
    });
    await job().run(organizationId, id);
    expect(await find(id)).toMatchObject({ state: 'suppressed', reason: 'patient_changed' });
    expect(await arrived(id)).toEqual([]);
    expect((await rows().appointment.findFirstOrThrow({ where: { organizationId, id: appointmentId } })).initialSmsSent).toBeNull();
  });
});

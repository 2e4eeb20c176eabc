import { randomInt } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { Db } from '../../src/database/database.ts';
import { type Caller, jobCaller } from '../../src/domain/caller.ts';
import { recordDeliveryReport } from '../../src/domain/messaging/texts/outgoing-texts.ts';
import type { Carrier } from '../../src/gateways/carrier.ts';
import { createLocalCarrier } from '../../src/gateways/local-carrier.ts';
import { sendTexts } from '../../src/jobs/send-texts.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization } from '../support/factories.ts';
import { openQueueing, practiceWithNumber } from './outgoing.ts';

const test = await sharedTestApp();
const sending = openQueueing(test);
const carrier: Carrier = createLocalCarrier(test.database.prisma, test.keyring);
const organizationId = await practiceWithNumber(test);
afterAll(() => sending.outbox.close());

const rows = () => test.database.prisma;
const anyNumber = () => `+1919${randomInt(2_000_000, 9_999_999)}`;
const job = (by: Partial<Carrier> = {}) =>
  sendTexts({ unitOfWork: sending.unitOfWork, keyring: test.keyring, carrier: { ...carrier, ...by }, statusUrl: null });
const find = (id: number) => rows().smsMessage.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } });
const arrived = (id: number) => rows().carrierText.findMany({ where: { reference: `text-${organizationId}-${id}` } });
const inWork = <T>(run: (db: Db, caller: Caller) => Promise<T>, of = organizationId) =>
  sending.unitOfWork.write(jobCaller(of, 'test'), run);

describe('what the carrier reports', () => {
  const report = (id: number, carrierId: string, state: 'sent' | 'delivered' | 'failed', of = organizationId) =>
    inWork(
      (db, caller) =>
        recordDeliveryReport(db, caller, id, { carrierId, state, reason: state === 'failed' ? 'unreachable' : null, at: new Date() }),
      of,
    );
  const eventsOf = async (id: number) => {
    const events = await rows().event.findMany({ where: { organizationId, subjectType: 'text', subjectId: id }, orderBy: { id: 'asc' } });
    return events.map(({ name }) => name);
  };

  it('is noted once, and what was delivered or failed stays so', async () => {
    const { id } = await sending.text(organizationId, { to: anyNumber(), body: 'Hello.' });
    await job().run(organizationId, id);
    const { carrierId } = await find(id);
    for (const state of ['delivered', 'failed', 'sent', 'delivered'] as const) expect(await report(id, carrierId ?? '', state)).toBe(true);
    expect(await find(id)).toMatchObject({ state: 'delivered', reason: null, deliveredAt: expect.any(Date) });
    expect(await eventsOf(id)).toEqual(['text.queued', 'text.sent', 'text.delivered']);
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
    expect(await eventsOf(id)).toEqual(['text.queued', 'text.sent', 'text.delivered']);
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

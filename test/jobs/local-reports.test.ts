import { randomInt } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { createLocalCarrier } from '../../src/gateways/carrier/local-carrier.ts';
import { reportLocalTexts } from '../../src/jobs/calls/local-reports.ts';
import { sendTexts } from '../../src/jobs/sending/send-texts.ts';
import { ownTestApp } from '../support/app.ts';
import { openQueueing, practiceWithNumber } from './outgoing.ts';

const test = await ownTestApp();
const sending = openQueueing(test);
const organizationId = await practiceWithNumber(test);
afterAll(() => sending.outbox.close());

const rows = () => test.database.prisma;
const carrier = () => createLocalCarrier(rows(), test.keyring);
async function sent(to: string): Promise<number> {
  const { id } = await sending.text(organizationId, { to, body: 'Hello.' });
  await sendTexts({ unitOfWork: sending.unitOfWork, keyring: test.keyring, carrier: carrier(), statusUrl: null }).run(organizationId, id);
  return id;
}
const find = (id: number) => rows().smsMessage.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } });

it('a text that the local carrier took arrives by itself, and is told of once, though two processes tell it', async () => {
  const id = await sent(`+1919555${randomInt(1_000, 9_999)}`);
  await Promise.all([reportLocalTexts(test.services), reportLocalTexts(test.services)]);
  await reportLocalTexts(test.services);
  expect(await find(id)).toMatchObject({ state: 'delivered', deliveredAt: expect.any(Date) });
  const events = await rows().event.findMany({ where: { organizationId, subjectType: 'text', subjectId: id }, orderBy: { id: 'asc' } });
  expect(events.map(({ name, actor }) => [name, actor])).toEqual([
    ['text.queued', 'job:test'],
    ['text.sent', 'job:send-text'],
    ['text.delivered', 'job:local-reports'],
  ]);
  expect(await rows().carrierText.count({ where: { reportedAt: null } })).toBe(0);
});

it('a number that ends in 0000 is out of reach', async () => {
  const id = await sent('+19195550000');
  await reportLocalTexts(test.services);
  expect(await find(id)).toMatchObject({ state: 'failed', reason: 'unreachable' });
});

it('what is in its books and of no text here is left alone, and holds up no other', async () => {
  await rows().carrierText.create({
    data: { id: 'SM-1', reference: 'elsewhere-1', fromNumber: '+19105550100', toNumber: '+19195550101', body: 'Hi' },
  });
  const id = await sent(`+1919555${randomInt(1_000, 9_999)}`);
  await reportLocalTexts(test.services);
  expect(await find(id)).toMatchObject({ state: 'delivered' });
  expect(await rows().carrierText.count({ where: { reportedAt: null } })).toBe(0);
});

import { expect, it } from 'vitest';
import { sharedTestApp } from '../../../support/app.ts';
import { quietNow } from '../../../support/quiet-hours.ts';
import { alertingPractice } from './alerting.ts';

const test = await sharedTestApp();
const { prisma } = test.database;

it('texts about alerts are one of all that escalate together, and are withdrawn where somebody looks after all of them', async () => {
  const practice = await alertingPractice(test, quietNow());
  const { organizationId, nurse } = practice;
  await prisma.programMember.updateMany({ where: { organizationId }, data: { textAlerts: true } });
  const texts = async () =>
    (await prisma.smsMessage.findMany({ where: { organizationId }, orderBy: { id: 'asc' } })).map(({ state, urgent }) => [state, urgent]);
  await practice.measure([150]);
  await practice.measure([151]);
  expect(await texts()).toEqual([['queued', false]]);
  const [one, other] = await practice.alerts();
  await nurse.post(`/remote-patient-monitoring/alerts/${other.uuid}/close`).expect(200);
  await nurse.post(`/remote-patient-monitoring/alerts/${one.uuid}/acknowledge`).expect(200);
  expect(await texts()).toEqual([['suppressed', false]]);
  await practice.measure([190, 191]);
  await prisma.smsMessage.updateMany({ where: { organizationId }, data: { queuedAt: new Date(Date.now() - 600_000) } });
  for (const _ of ['the admins', 'everybody']) await practice.periodPasses();
  expect(await texts()).toEqual([
    ['suppressed', false],
    ['queued', true],
    ['queued', true],
  ]);
});

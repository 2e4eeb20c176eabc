import { beforeEach, describe, expect, it } from 'vitest';
import { jobCaller } from '../../../../src/domain/caller.ts';
import { openInboxItem } from '../../../../src/domain/messaging/inbox/inbox.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { type AlertingPractice, alertingPractice } from './alerting.ts';

const ALERTS = '/remote-patient-monitoring/alerts';

const test = await sharedTestApp();
let practice: AlertingPractice;
beforeEach(async () => {
  practice = await alertingPractice(test);
});

const rows = () => test.database.prisma;

describe('a conversation in the inbox that holds alerts', () => {
  it('is acknowledged with its alerts', async () => {
    const { nurse, patient } = practice;
    await practice.measure([190, 150]);
    const [item] = (await nurse.get('/inbox')).body.data;
    expect(item).toMatchObject({ kinds: ['alert'], entry_count: 2, patient: { uuid: patient.id }, escalates_at: null, state: 'waiting' });
    await nurse.post(`/inbox/${item.uuid}/acknowledge`).expect(200);
    expect(await practice.alerts('?state=acknowledged')).toHaveLength(2);
    await practice.measure([191]);
    expect((await nurse.get('/inbox')).body.data).toMatchObject([{ uuid: item.uuid, state: 'waiting', entry_count: 3 }]);
  });

  it('is looked after by looking after each of its alerts, unless a text of the patient waits in it', async () => {
    const { nurse, organizationId, patient } = practice;
    const state = async () => (await nurse.get('/inbox')).body.data.map((item: { state: string }) => item.state);
    await practice.measure([190, 150]);
    const [danger, watch] = await practice.alerts();
    await nurse.post(`${ALERTS}/${danger.uuid}/acknowledge`).expect(200);
    expect(await state()).toEqual(['waiting']);
    await nurse.post(`${ALERTS}/${watch.uuid}/close`).expect(200);
    expect(await state()).toEqual(['acknowledged']);
    const steps = await rows().event.findMany({ where: { organizationId, name: { startsWith: 'inbox_item.' } }, orderBy: { id: 'asc' } });
    expect(steps.map(({ name, actor }) => [name, actor]).at(-1)).toEqual(['inbox_item.acknowledged', `user:${nurse.user.id}`]);
    await practice.measure([191]);
    const text = { type: 'text', id: 1 };
    await test.services.unitOfWork.write(jobCaller(organizationId, 'test'), (tx) =>
      openInboxItem(tx, { kind: 'text', subject: text, contactId: patient.id, patientId: patient.id, chatId: null }),
    );
    const [another] = await practice.alerts('?state=open');
    await nurse.post(`${ALERTS}/${another.uuid}/acknowledge`).expect(200);
    expect(await state()).toEqual(['waiting']);
  });
});

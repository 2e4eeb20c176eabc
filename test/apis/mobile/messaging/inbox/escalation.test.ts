import { beforeEach, describe, expect, it } from 'vitest';
import { escalateInbox } from '../../../../../src/jobs/due-work.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { type OnDuty, onDuty } from './on-duty.ts';

const test = await sharedTestApp();
const rows = () => test.database.prisma;
let duty: OnDuty;
beforeEach(async () => {
  duty = await onDuty(test);
});

describe('an item that nobody acknowledges', () => {
  it('goes down the ring order, one person a period, then to the admins, and to nobody twice', async () => {
    await duty.text('Hello?');
    const told: number[][] = [await duty.notified()];
    for (let period = 0; period < 4; period += 1) {
      await duty.periodPasses();
      told.push(await duty.notified());
    }
    expect(told).toEqual([
      [1, 0, 0, 0],
      [1, 1, 0, 0],
      [1, 1, 1, 0],
      [1, 1, 1, 1],
      [1, 1, 1, 1],
    ]);
    expect(await duty.kinds(duty.admin)).toEqual(['inbox_item.waiting']);
    expect(await duty.inbox()).toMatchObject([{ state: 'waiting', escalates_at: null }]);
  });

  it('pages all anew with the next message, a period after everybody was notified in vain, and once for several of them', async () => {
    await duty.text('Hello?');
    await duty.text('Hello?', { to: duty.bare });
    for (let period = 0; period < 4; period += 1) await duty.periodPasses();
    await duty.text('Anybody?');
    expect(await duty.notified()).toEqual([1, 1, 1, 2]);
    const { organizationId } = duty;
    await rows().$executeRaw`UPDATE notification SET created_at = now() - interval '11 minutes' WHERE organization_id = ${organizationId}`;
    await duty.text('I have chest pain now');
    await duty.text('Please call');
    expect(await duty.notified()).toEqual([2, 1, 1, 2]);
    await duty.text('For everybody', { to: duty.bare });
    await duty.text('Once more', { to: duty.bare });
    expect(await duty.notified()).toEqual([2, 1, 1, 3]);
    await duty.periodPasses();
    expect(await duty.notified()).toEqual([2, 2, 1, 3]);
  });

  it('waits for the period of the practice, and no longer after it was acknowledged', async () => {
    await duty.text('Hello?');
    const [item] = await duty.inbox();
    expect(Date.parse(item.escalates_at) - Date.parse(item.opened_at)).toBe(600_000);
    await escalateInbox(test.services);
    expect(await duty.notified()).toEqual([1, 0, 0, 0]);
    await duty.periodPasses();
    await duty.second.post(`/inbox/${item.uuid}/acknowledge`).expect(200);
    await duty.periodPasses();
    expect(await duty.notified()).toEqual([1, 1, 0, 0]);
    await duty.text('Are you there?');
    expect(await duty.notified()).toEqual([2, 1, 0, 0]);
  });

  it('is escalated by one of two workers that run at the same time', async () => {
    await duty.text('Hello?');
    await duty.text('Me too', { to: duty.bare });
    await rows()
      .$executeRaw`UPDATE inbox_item SET escalate_at = now() WHERE organization_id = ${duty.organizationId} AND chat_id IS NOT NULL`;
    await Promise.all([escalateInbox(test.services), escalateInbox(test.services), escalateInbox(test.services)]);
    expect(await duty.notified()).toEqual([1, 1, 0, 1]);
  });

  it('passes over users who have left, and tells the admins at once where there is no group', async () => {
    const { organizationId } = duty;
    await rows().user.update({ where: { organizationId_id: { organizationId, id: duty.first.user.id } }, data: { active: false } });
    await duty.text('Hello?');
    expect(await duty.notified()).toEqual([0, 1, 0, 0]);
    await duty.text('For everybody', { to: duty.bare });
    expect(await duty.notified()).toEqual([0, 1, 0, 1]);
    const [everybodys] = await duty.inbox('', duty.second);
    expect(everybodys).toMatchObject({ chat_id: null, escalates_at: null });
  });

  it('asks whoever it is assigned to first, and gives them a whole period', async () => {
    await duty.text('Hello?');
    const [{ uuid }] = await duty.inbox();
    await duty.second.post(`/inbox/${uuid}/assign`).send({ user_uuid: duty.third.user.id }).expect(200);
    expect(await duty.notified()).toEqual([1, 0, 1, 0]);
    await duty.periodPasses();
    expect(await duty.notified()).toEqual([1, 1, 1, 0]);
    await duty.third.post(`/inbox/${uuid}/acknowledge`).expect(200);
    await duty.text('Are you there?');
    expect(await duty.notified()).toEqual([1, 1, 2, 0]);
  });
});

describe('a message on the voice pager', () => {
  it('pages the first of its group at once, and again with each message', async () => {
    await duty.page('Please call me back.');
    expect([await duty.notified(), await duty.kinds(duty.first)]).toEqual([[1, 0, 0, 0], ['inbox_item.waiting']]);
    await duty.page('It is urgent.');
    expect(await duty.notified()).toEqual([2, 0, 0, 0]);
    await duty.page('I withhold my number.', { from: 'Anonymous' });
    expect(await duty.inbox()).toMatchObject([
      { kinds: ['voice_message'], contact_uuid: null, number: null, entry_count: 1 },
      { kinds: ['voice_message'], patient: { uuid: duty.patient.id }, entry_count: 2 },
    ]);
  });
});

describe('a member of a group', () => {
  it('is texted too where they have set so, and the text names nobody', async () => {
    const path = `/chats/${duty.chatId}/text-alerts`;
    expect((await duty.second.put(path).send({ text_alerts: true })).body).toEqual({ data: { chat_id: duty.chatId, text_alerts: true } });
    await duty.page('Rosa Diaz here, please call.');
    expect(await duty.alerts()).toEqual([]);
    await duty.periodPasses();
    expect(await duty.alerts()).toMatchObject([
      {
        toNumber: duty.second.user.phone,
        urgent: true,
        patientId: null,
        body: 'Hudson Family Practice: a message waits in the inbox of Front Desk.',
      },
    ]);
    const { members } = (await duty.first.get(`/chats/${duty.chatId}/call-group-data`)).body.data;
    expect(members.map((member: { text_alerts: boolean }) => member.text_alerts)).toEqual([false, true, false]);
  });

  it('sets it for themselves alone, and only with a telephone number', async () => {
    const path = `/chats/${duty.chatId}/text-alerts`;
    const refused = await duty.admin.put(path).send({ text_alerts: true });
    expect([refused.status, refused.body.code]).toEqual([409, 'not_a_member']);
    const { organizationId } = duty;
    await rows().user.update({ where: { organizationId_id: { organizationId, id: duty.first.user.id } }, data: { phone: null } });
    const without = await duty.first.put(path).send({ text_alerts: true });
    expect([without.status, without.body.code]).toEqual([409, 'no_telephone_number']);
    expect((await duty.first.put('/chats/2147483647/text-alerts').send({ text_alerts: true })).status).toBe(404);
  });

  it('is told that no alert comes to a telephone that has ended the texts of the practice', async () => {
    const path = `/chats/${duty.chatId}/text-alerts`;
    await duty.second.put(path).send({ text_alerts: true }).expect(200);
    await duty.text('STOP', { from: duty.second.user.phone ?? '' });
    const { members } = (await duty.first.get(`/chats/${duty.chatId}/call-group-data`)).body.data;
    expect(members.map((member: { text_alerts: boolean }) => member.text_alerts)).toEqual([false, false, false]);
    const refused = await duty.second.put(path).send({ text_alerts: true });
    expect([refused.status, refused.body.code]).toEqual([409, 'opted_out']);
    await duty.second.put(path).send({ text_alerts: false }).expect(200);
  });

  it('hears of the message though the practice cannot text them', async () => {
    await duty.first.put(`/chats/${duty.chatId}/text-alerts`).send({ text_alerts: true }).expect(200);
    await rows().phoneNumber.updateMany({
      where: { organizationId: duty.organizationId, kind: 'plain' },
      data: { releasedAt: new Date() },
    });
    await duty.page('Please call me back.');
    expect([await duty.notified(), await duty.alerts()]).toEqual([[1, 0, 0, 0], []]);
  });
});

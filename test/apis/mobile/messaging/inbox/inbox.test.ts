import { beforeEach, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createUser } from '../../../../support/factories.ts';
import { anyNumber } from '../../../../support/phone-numbers.ts';
import { type OnDuty, onDuty } from './on-duty.ts';

const test = await sharedTestApp();
const rows = () => test.database.prisma;
let duty: OnDuty;
beforeEach(async () => {
  duty = await onDuty(test);
});

const newest = async () => (await duty.inbox())[0];

describe('the inbox', () => {
  it('has a text that no machine has handled, in the call group of the number that it came to', async () => {
    await duty.text('My rash is getting worse.');
    const [item, ...others] = await duty.inbox();
    expect(others).toEqual([]);
    expect(item).toMatchObject({
      state: 'waiting',
      kinds: ['text'],
      entry_count: 1,
      chat_id: duty.chatId,
      chat_name: 'Front Desk',
      contact_uuid: duty.patient.id,
      patient: { uuid: duty.patient.id, firstname: 'Rosa', lastname: 'Diaz' },
      patient_restricted: false,
      assigned_to: null,
      acknowledged_at: null,
      closed_at: null,
      number: duty.phone.slice(2),
    });
    const { body } = await duty.second.get(`/inbox/${item.uuid}`);
    expect(body.data.entries).toMatchObject([
      { kind: 'text', subject: { type: 'text', uuid: expect.any(Number) }, text: 'My rash is getting worse.' },
    ]);
  });

  it('has nothing of what a machine has handled', async () => {
    for (const body of ['HELP', 'STOP', 'START']) await duty.text(body);
    expect(await duty.inbox()).toEqual([]);
  });

  it('has a No to an appointment, and a wish for no more texts in words of one’s own, but no Yes', async () => {
    const { organizationId, patient, phone, plain } = duty;
    const startsAt = new Date(Date.now() + 86_400_000);
    const times = {
      startsAt,
      localStart: startsAt,
      endsAt: new Date(startsAt.getTime() + 1_800_000),
      timeZone: 'UTC',
      durationMinutes: 30,
    };
    const { id: appointmentId } = await rows().appointment.create({ data: { organizationId, patientId: patient.id, ...times } });
    const about = { organizationId, patientId: patient.id, appointmentId };
    const asked = await rows().smsMessage.create({
      data: { ...about, direction: 'outbound', state: 'sent', attempts: 1, fromNumber: plain, toNumber: phone, body: 'Will you come?' },
    });
    await rows().textAppointment.create({ data: { ...about, smsMessageId: asked.id, startsAt, question: 'open' } });
    await duty.text('Yes');
    expect(await duty.inbox()).toEqual([]);
    await duty.text('No');
    await duty.text('Yes');
    const { body } = await duty.first.get(`/inbox/${(await newest()).uuid}`);
    expect(body.data.entries).toMatchObject([
      { kind: 'declined', text: 'No', appointment_uuid: appointmentId },
      { kind: 'accepted', appointment_uuid: appointmentId },
    ]);
    await duty.text('Please stop texting me');
    expect(await duty.inbox()).toMatchObject([
      { kinds: ['accepted', 'declined', 'revoked'], entry_count: 3, patient: { uuid: patient.id } },
    ]);
  });

  it('has one open item a conversation, which what comes later joins, also at the same time', async () => {
    await Promise.all(['One', 'Two', 'Three'].map((body) => duty.text(body)));
    await duty.page('Please call me back.');
    expect(await duty.inbox()).toMatchObject([{ kinds: ['text', 'voice_message'], entry_count: 4 }]);
    const { body } = await duty.first.get(`/inbox/${(await newest()).uuid}`);
    expect(body.data.entries.map(({ text }: { text: string }) => text).toSorted()).toEqual(['One', 'Please call me back.', 'Three', 'Two']);
    await duty.text('I have the same question.', { from: anyNumber('1704') });
    await duty.text('And on the other number.', { to: duty.bare });
    expect(await duty.inbox()).toHaveLength(3);
  });

  it('lists by group, by open and closed, and what is mine', async () => {
    await duty.text('For the front desk');
    await duty.text('For everybody', { to: duty.bare });
    await duty.text('Done', { from: anyNumber('1704') });
    const [done, everybody, desk] = (await duty.inbox()).map(({ uuid }: { uuid: number }) => uuid);
    await duty.first.post(`/inbox/${done}/close`).send({ note: 'Called back.' }).expect(200);
    const listed = async (query: string, actor = duty.first) => (await duty.inbox(query, actor)).map(({ uuid }: { uuid: number }) => uuid);
    expect(await listed(`?chat_id=${duty.chatId}`)).toEqual([done, desk]);
    expect(await listed(`?group=${duty.chatId}&open=1`)).toEqual([desk]);
    expect(await listed('?open=0')).toEqual([done]);
    expect(await listed('?open=1&limit=1&page=2')).toEqual([desk]);
    expect(await listed('?open=1&mine=1')).toEqual([everybody, desk]);
    await duty.first.post(`/inbox/${desk}/assign`).send({ user_uuid: duty.second.user.id }).expect(200);
    expect(await listed('?open=1&mine=1')).toEqual([everybody]);
    expect(await listed('?mine=1&open=1', duty.second)).toEqual([everybody, desk]);
    expect(await listed('?mine=1&open=1', duty.admin)).toEqual([everybody]);
    expect((await duty.first.get('/inbox?chat_id=2147483647')).status).toBe(404);
  });

  it('names no patient whose chart is restricted', async () => {
    await duty.text('Please do not tell anybody.');
    await duty.text('Nor of this.', { from: anyNumber('1704'), to: duty.bare });
    const { organizationId } = duty;
    await rows().privacyRestriction.create({ data: { organizationId, patientId: duty.patient.id, kind: 'blocked' } });
    const item = (await duty.inbox())[1];
    const nothing = { patient: null, patient_restricted: true, contact_uuid: null, number: null, note: null };
    expect(item).toMatchObject({ ...nothing, kinds: ['text'] });
    const { data } = (await duty.first.get(`/inbox/${item.uuid}`)).body;
    expect(data).toMatchObject({ ...nothing, entries: [{ kind: 'text', subject: null, text: null }] });
    expect((await duty.first.post(`/inbox/${item.uuid}/acknowledge`)).body.data).toMatchObject({ ...nothing, state: 'acknowledged' });
  });

  it('is the practice’s alone', async () => {
    await duty.text('Hello?');
    const { uuid } = await newest();
    const stranger = await signedInUser(test);
    expect((await stranger.get('/inbox')).body.data).toEqual([]);
    for (const path of ['', '/acknowledge', '/close', '/assign'])
      expect(
        (
          await (path === ''
            ? stranger.get(`/inbox/${uuid}`)
            : stranger.post(`/inbox/${uuid}${path}`).send({ user_uuid: stranger.user.id }))
        ).status,
      ).toBe(404);
    expect((await duty.first.post(`/inbox/${uuid}/assign`).send({ user_uuid: stranger.user.id })).status).toBe(404);
  });

  it('audits who saw which conversation, and tells each step in an event without a word of it', async () => {
    await duty.text('My rash is getting worse.');
    const { uuid } = await newest();
    await duty.first.post(`/inbox/${uuid}/acknowledge`).expect(200);
    await duty.second.post(`/inbox/${uuid}/assign`).send({ user_uuid: duty.third.user.id }).expect(200);
    await duty.text('Now it itches.');
    await duty.third.post(`/inbox/${uuid}/close`).send({ note: 'Booked.' }).expect(200);
    const { organizationId } = duty;
    const where = { organizationId, subjectType: 'inbox_item', subjectId: uuid };
    const events = await rows().event.findMany({ where, orderBy: { id: 'asc' } });
    expect(events.map(({ name }) => name)).toEqual(
      ['opened', 'acknowledged', 'assigned', 'joined', 'closed'].map((step) => `inbox_item.${step}`),
    );
    const audits = await rows().auditEntry.findMany({
      where: { organizationId, resource: 'inbox_item', patientIds: { has: duty.patient.id }, actor: `user:${duty.third.user.id}` },
    });
    expect(audits.map(({ action }) => action).toSorted()).toEqual(['read', 'update']);
  });
});

describe('whoever looks after an item', () => {
  it('acknowledges it once, however often they say so, and the next message waits anew', async () => {
    await duty.text('Hello?');
    const { uuid } = await newest();
    const once = (await duty.second.post(`/inbox/${uuid}/acknowledge`).expect(200)).body.data;
    expect(once).toMatchObject({ state: 'acknowledged', acknowledged_by: { uuid: duty.second.user.id }, escalates_at: null });
    expect((await duty.third.post(`/inbox/${uuid}/acknowledge`).expect(200)).body.data).toEqual(once);
    await duty.text('Are you there?');
    expect(await newest()).toMatchObject({ uuid, state: 'waiting', entry_count: 2, acknowledged_by: null });
    const unseen = await duty.second.post(`/inbox/${uuid}/acknowledge`).send({ entry_count: 1 });
    expect([unseen.status, unseen.body.code]).toEqual([409, 'inbox_item_joined']);
    for (const seen of ['2', null]) await duty.second.post(`/inbox/${uuid}/acknowledge`).send({ entry_count: seen }).expect(200);
  });

  it('changes it only as they have read it, where they say so by its entity tag', async () => {
    await duty.text('Hello?');
    const { uuid } = await newest();
    const { headers } = await duty.second.get(`/inbox/${uuid}`).expect(200);
    await duty.text('Are you there?');
    for (const [step, body] of [['assign', { user_uuid: duty.second.user.id }], ['acknowledge'], ['close', { note: 'Done.' }]] as const)
      await duty.second
        .post(`/inbox/${uuid}/${step}`)
        .set('If-Match', `${headers.etag}`)
        .send(body ?? {})
        .expect(412);
    expect(await newest()).toMatchObject({ uuid, state: 'waiting', assigned_to: null });
    const fresh = await duty.second.get(`/inbox/${uuid}`).expect(200);
    const taken = await duty.second.post(`/inbox/${uuid}/acknowledge`).set('If-Match', `${fresh.headers.etag}`).expect(200);
    await duty.second.post(`/inbox/${uuid}/close`).set('If-Match', `${taken.headers.etag}`).send({ note: 'Done.' }).expect(200);
  });

  it('takes it, gives it to a colleague, who is told, and back to all', async () => {
    await duty.text('Hello?');
    const { uuid } = await newest();
    const assign = (user: number | null) => duty.second.post(`/inbox/${uuid}/assign`).send({ user_uuid: user });
    expect((await assign(duty.second.user.id)).body.data).toMatchObject({
      state: 'acknowledged',
      assigned_to: { uuid: duty.second.user.id },
    });
    await assign(duty.third.user.id);
    await assign(duty.third.user.id);
    expect(await duty.notified()).toEqual([1, 0, 1, 0]);
    expect(await duty.kinds(duty.third)).toEqual(['inbox_item.assigned']);
    expect((await assign(null)).body.data).toMatchObject({ assigned_to: null });
    const { user: gone } = await createUser(rows(), { organizationId: duty.organizationId, active: false });
    expect((await assign(gone.id)).status).toBe(404);
    expect((await duty.second.post(`/inbox/${uuid}/assign`).send({})).status).toBe(400);
  });

  it('closes it with a note; a closed one stays so, and what comes next opens another', async () => {
    await duty.text('Hello?');
    const { uuid } = await newest();
    const close = (note?: string) => duty.first.post(`/inbox/${uuid}/close`).send(note === undefined ? {} : { note });
    expect((await close('Called back:\nall is well.')).body.data).toMatchObject({
      state: 'closed',
      note: 'Called back:\nall is well.',
      closed_by: { uuid: duty.first.user.id },
      escalates_at: null,
    });
    expect([(await close()).status, (await close('Called back:\nall is well.')).status]).toEqual([200, 200]);
    const other = await close('Nobody was there.');
    expect([other.status, other.body.code]).toEqual([409, 'inbox_item_closed']);
    for (const [path, body] of [['acknowledge'], ['assign', { user_uuid: null }]] as const)
      expect((await duty.first.post(`/inbox/${uuid}/${path}`).send(body ?? {})).status).toBe(409);
    await duty.text('One more thing.');
    expect(await duty.inbox()).toMatchObject([
      { state: 'waiting', entry_count: 1 },
      { uuid, state: 'closed', entry_count: 1 },
    ]);
  });
});

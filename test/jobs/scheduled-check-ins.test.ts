import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { fillSealedPlaceholders } from '../../src/domain/messaging/templates/sealed-placeholders.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import type { Outbox } from '../../src/jobs/queue/queue.ts';
import { createServices } from '../../src/services.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { createRecipient, createSurvey } from '../support/check-ins.ts';
import { day, days, openScheduling } from './scheduling.ts';

const test = await ownTestApp();
const jobs = openScheduling(test);
afterEach(() => jobs.endAll());

const rows = () => test.database.prisma;

describe('a schedule that is due', () => {
  it('asks each patient each survey once, all in one message, by the way of each, with a link to each in the usual words', async () => {
    const of = await jobs.due();
    const second = await createSurvey(test, of.organizationId, { name: 'Second' });
    await rows().scheduledCheckInSurvey.create({
      data: { organizationId: of.organizationId, scheduledCheckInId: of.schedule.id, surveyTypeId: second.id },
    });
    const [texted, mailed] = [await createRecipient(test, of.organizationId), await createRecipient(test, of.organizationId)];
    await jobs.name(of, [texted]);
    await jobs.name(of, [mailed], 'email');
    await jobs.run('2031-03-10T09:00:00Z');
    await jobs.run('2031-03-10T09:00:05Z');
    const checkIns = await jobs.sent(of);
    expect(checkIns.map(({ patientId, surveyTypeId, channel }) => [patientId, surveyTypeId, channel])).toEqual([
      [texted.id, of.survey.id, 'sms'],
      [texted.id, second.id, 'sms'],
      [mailed.id, of.survey.id, 'email'],
      [mailed.id, second.id, 'email'],
    ]);
    const [first] = checkIns;
    expect(first?.text?.body).toBe(
      'Hello Rosa, Hudson Family Practice would like to know how you are. Please answer a few questions: {{url}}',
    );
    expect(first?.text && fillSealedPlaceholders(test.keyring, 'text', first.text)).toMatch(
      /(?: https:\/\/clinic\.example\/c\/[\w-]{32}){2}$/,
    );
    expect([checkIns[1]?.text?.id, checkIns[3]?.mail?.id]).toEqual([first?.text?.id, checkIns[2]?.mail?.id]);
    expect(checkIns[3]?.mail).toMatchObject({ toAddress: 'rosa@example.com', state: 'queued' });
    expect(await jobs.next(of)).toBe('2031-03-11T09:00:00.000Z');
    expect(await jobs.events(of)).toEqual(['scheduled_check_in.ran']);
  });

  it('without recipients asks everybody who is monitored and can be reached, as it is at that time', async () => {
    const of = await jobs.due();
    const add = (data: object) => createRecipient(test, of.organizationId, { flags: ['RPM'], ...data });
    const texted = await add({});
    const mailed = await add({ doNotSms: true, flags: ['rpm', 'Diabetes'] });
    const optedOut = await add({});
    await rows().optOut.create({
      data: { organizationId: of.organizationId, number: optedOut.mobilePhone ?? '', optedOut: true, keyword: 'STOP', source: 'text' },
    });
    await add({ flags: ['Diabetes'] });
    await add({ mobilePhone: null, email: null });
    await add({ doNotCall: true });
    await add({ deceasedDate: day('2031-01-01') });
    await add({ status: 'deleted' });
    const restricted = await add({});
    await rows().privacyRestriction.create({ data: { organizationId: of.organizationId, patientId: restricted.id, kind: 'record' } });
    await jobs.run('2031-03-10T09:00:00Z');
    expect((await jobs.sent(of)).map(({ patientId, channel }) => [patientId, channel])).toEqual([
      [texted.id, 'sms'],
      [mailed.id, 'email'],
      [optedOut.id, 'email'],
    ]);
    const joined = await add({});
    await jobs.run('2031-03-11T09:00:00Z');
    expect((await jobs.sent(of)).filter(({ patientId }) => patientId === joined.id)).toHaveLength(1);
  });

  it('asks a patient whom it names also when the chart has been restricted since', async () => {
    const of = await jobs.due();
    const named = await createRecipient(test, of.organizationId);
    await jobs.name(of, [named]);
    await rows().privacyRestriction.create({ data: { organizationId: of.organizationId, patientId: named.id, kind: 'record' } });
    await jobs.run('2031-03-10T09:00:00Z');
    expect((await jobs.sent(of)).map(({ patientId }) => patientId)).toEqual([named.id]);
  });

  it('asks nothing that was ended, and nobody of a practice that is closed', async () => {
    const [ended, closed] = [await jobs.due(), await jobs.due({}, { active: false })];
    for (const due of [ended, closed]) await jobs.name(due, [await createRecipient(test, due.organizationId)]);
    await rows().surveyType.updateMany({ where: { organizationId: ended.organizationId }, data: { active: false } });
    await jobs.run('2031-03-10T09:00:00Z');
    expect([await jobs.sent(ended), await jobs.sent(closed)]).toEqual([[], []]);
    expect([await jobs.next(ended), await jobs.next(closed)]).toEqual(['2031-03-11T09:00:00.000Z', '2031-03-10T09:00:00.000Z']);
  });

  it('keeps its time on the clocks of the practice over a change of theirs', async () => {
    const of = await jobs.due({ scheduleTime: '09:00', nextRunAt: new Date('2031-03-08T14:00:00Z') }, { timeZone: 'America/New_York' });
    await rows().scheduledCheckIn.updateMany({ where: { organizationId: of.organizationId }, data: { startsOn: day('2031-03-08') } });
    await jobs.name(of, [await createRecipient(test, of.organizationId)]);
    await jobs.run('2031-03-08T14:00:00Z');
    expect(await jobs.next(of)).toBe('2031-03-09T13:00:00.000Z');
    await jobs.run('2031-03-09T13:00:00Z');
    expect(days(await jobs.sent(of))).toEqual(['2031-03-08', '2031-03-09']);
  });

  it('ends by itself after its last day, or when it has run as often as it may', async () => {
    const [lastDay, lastRun] = [await jobs.due({ endsOn: day('2031-03-11') }), await jobs.due({ maxRuns: 2 })];
    for (const due of [lastDay, lastRun]) await jobs.name(due, [await createRecipient(test, due.organizationId)]);
    for (const date of ['10', '11', '12']) await jobs.run(`2031-03-${date}T09:00:00Z`);
    for (const due of [lastDay, lastRun]) {
      expect(days(await jobs.sent(due))).toEqual(['2031-03-10', '2031-03-11']);
      expect(await jobs.events(due)).toEqual(['scheduled_check_in.ran', 'scheduled_check_in.ran', 'scheduled_check_in.ended']);
    }
  });

  it('waits with its texts while the practice has no number, and sends its mails', async () => {
    const of = await jobs.due();
    const numbers = (releasedAt: Date | null) =>
      rows().phoneNumber.updateMany({ where: { organizationId: of.organizationId }, data: { releasedAt } });
    await numbers(new Date());
    const [texted, mailed] = [await createRecipient(test, of.organizationId), await createRecipient(test, of.organizationId)];
    await jobs.name(of, [texted]);
    await jobs.name(of, [mailed], 'email');
    await jobs.run('2031-03-10T09:00:00Z');
    expect((await jobs.sent(of)).map(({ patientId }) => patientId)).toEqual([mailed.id]);
    await numbers(null);
    await jobs.run('2031-03-10T11:00:00Z');
    expect((await jobs.sent(of)).map(({ patientId }) => patientId)).toEqual([texted.id, mailed.id]);
    expect(await jobs.next(of)).toBe('2031-03-11T09:00:00.000Z');
  });
});

describe('a named recipient', () => {
  it('is asked by the way that reaches them at each run, and staff hear of whom two runs in a row did not reach', async () => {
    const of = await jobs.due();
    const staff = await signedInUser(test, { organizationId: of.organizationId });
    const [stopped, unreached, asked] = await Promise.all([1, 2, 3].map(() => createRecipient(test, of.organizationId)));
    if (!stopped || !unreached || !asked) throw new Error('no recipients');
    const data = { number: stopped.mobilePhone ?? '', optedOut: true, keyword: 'STOP', source: 'text' };
    await jobs.name(of, [stopped, unreached]);
    await jobs.name(of, [asked], 'email');
    const change = (id: number, fields: object) =>
      rows().patient.update({
        where: { organizationId_id: { organizationId: of.organizationId, id } },
        data: fields,
        select: { id: true },
      });
    const readSchedule = async () => (await staff.get(`/scheduled-checkins/${of.schedule.id}`).expect(200)).body.data;
    const alerts = async () => (await staff.get('/inbox').expect(200)).body.data.map((item: { kinds: string[] }) => item.kinds);
    await jobs.run('2031-03-10T09:00:00Z');
    await rows().optOut.create({ data: { organizationId: of.organizationId, ...data } });
    await change(unreached.id, { mobilePhone: null, email: null });
    await change(asked.id, { email: null });
    await jobs.run('2031-03-11T09:00:00Z');
    expect([await alerts(), await readSchedule()]).toMatchObject([[], { not_sent_count: 1 }]);
    for (const day of [12, 13]) await jobs.run(`2031-03-${day}T09:00:00Z`);
    const listChannels = async ({ id }: { id: number }) =>
      (await jobs.sent(of)).filter(({ patientId }) => patientId === id).map(({ channel }) => channel);
    expect(await listChannels(stopped)).toEqual(['sms', 'email', 'email', 'email']);
    expect(await listChannels(asked)).toEqual(['email', 'sms', 'sms', 'sms']);
    await rows().mailMessage.updateMany({ where: { organizationId: of.organizationId, state: 'queued' }, data: { state: 'sent' } });
    expect([await alerts(), await readSchedule()]).toMatchObject([
      [['check_in_not_sent']],
      { sent_count: 4, not_sent_count: 3, recipient_count: 3 },
    ]);
  });
});

describe('many recipients', () => {
  it('are asked in batches; after one was cut off, the next look goes on where the last ended: nothing twice, nothing lost', async () => {
    const of = await jobs.due();
    await jobs.name(of, await jobs.manyPatients(of, 130));
    let batches = 0;
    const { outbox } = test.services;
    const dying: Outbox = {
      ...outbox,
      enqueue: (tx, batch) => {
        batches += 1;
        expect(batch.length).toBeLessThanOrEqual(100);
        // The process is killed just before the second batch is committed.
        return batches === 2 ? Promise.reject(new Error('killed')) : outbox.enqueue(tx, batch);
      },
    };
    await expect(
      jobs.run('2031-03-10T09:00:00Z', { ...test.services, outbox: dying, unitOfWork: createUnitOfWork(test.database, dying.enqueue) }),
    ).rejects.toThrow('killed');
    expect(await jobs.sent(of)).toHaveLength(50);
    await jobs.run('2031-03-10T09:00:20Z');
    const checkIns = await jobs.sent(of);
    expect(checkIns).toHaveLength(130);
    expect(new Set(checkIns.map(({ patientId }) => patientId)).size).toBe(130);
    expect(await rows().smsMessage.count({ where: { organizationId: of.organizationId } })).toBe(130);
    expect(await jobs.events(of)).toEqual(['scheduled_check_in.ran']);
  });

  it('are asked once by two workers at the same time', async () => {
    const of = await jobs.due();
    await jobs.name(of, await jobs.manyPatients(of, 120));
    const second = openDatabase({ url: test.databaseUrl, poolSize: 2 });
    const other = await createServices({ ...test.services, database: second });
    try {
      const both = () => Promise.all([jobs.run('2031-03-10T09:00:00Z'), jobs.run('2031-03-10T09:00:00Z', other)]);
      await both();
      await both();
    } finally {
      await other.close();
      await second.close();
    }
    expect(await jobs.sent(of)).toHaveLength(120);
    expect(await rows().smsMessage.count({ where: { organizationId: of.organizationId } })).toBe(120);
    expect(await jobs.events(of)).toEqual(['scheduled_check_in.ran']);
  });
});

import { describe, expect, it } from 'vitest';
import { ownTestApp } from '../../../../support/app.ts';
import { createRecipient, createSurvey, type Surveying, surveyingPractice } from '../../../../support/check-ins.ts';

const test = await ownTestApp();
const practice: Surveying = await surveyingPractice(test);

const rows = () => test.database.prisma;
const recipient = (data: object = {}) => createRecipient(test, practice.organizationId, data);
const request = (data: object = {}) => ({
  name: 'Morning readings',
  schedule_time: '09:00',
  schedule_period: 'daily',
  surveys: [practice.survey.id],
  ...data,
});
const schedule = (data: object = {}) => practice.person.post('/scheduled-checkins').send(request(data));

describe('scheduling check-ins', () => {
  it('answers when the next ones leave, by the clocks of the practice', async () => {
    const answer = await schedule({ starts_on: '2031-03-09', schedule_time: '02:30' });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.data).toMatchObject({
      name: 'Morning readings',
      schedule_time: '02:30',
      schedule_period: 'daily',
      starts_on: '2031-03-09',
      time_zone: 'America/New_York',
      active: 1,
      // The clocks skip 02:30 on that day.
      next_run_at: '2031-03-09T07:00:00Z',
      local_next_run_at: '2031-03-09T03:00:00',
      surveys: [{ uuid: practice.survey.id, name: 'How are you?', active: 1 }],
      recipients: null,
      recipient_count: null,
      sent_count: 0,
      not_sent_count: 0,
      answered_count: 0,
      created_by: practice.person.user.id,
    });
    expect((await practice.person.get(`/scheduled-checkins/${answer.body.data.uuid}`)).body).toEqual(answer.body);
  });

  it('may end, and run on chosen days of the week', async () => {
    const chosen = { starts_on: '2031-03-08', ends_on: '2031-03-31', max_runs: 5, weekdays: ['Thursday', 'mon', 'thu'] };
    const { data } = (await schedule(chosen)).body;
    expect(data).toMatchObject({
      ends_on: '2031-03-31',
      max_runs: 5,
      weekdays: ['mon', 'thu'],
      runs: 0,
      local_next_run_at: '2031-03-10T09:00:00',
    });
    expect((await schedule()).body.data).toMatchObject({ ends_on: null, max_runs: null, weekdays: [] });
    const refused = [
      { weekdays: ['someday'] },
      { weekdays: ['mon'], schedule_period: 'monthly' },
      { max_runs: 0 },
      { ends_on: '2020-01-01' },
      { starts_on: '2031-03-08', ends_on: '2031-03-07' },
      { starts_on: '2031-03-08', ends_on: '2031-03-09', weekdays: ['mon'] },
    ];
    for (const wrong of refused) expect([wrong, (await schedule(wrong)).status]).toEqual([wrong, 400]);
  });

  it('begins with the next time where no day is given', async () => {
    const { data } = (await schedule({ schedule_period: 'Weekly' })).body;
    const next = Date.parse(data.next_run_at);
    expect(next).toBeGreaterThan(Date.now());
    expect(next - Date.now()).toBeLessThanOrEqual(25 * 3_600_000);
    expect(data.local_next_run_at).toBe(`${data.starts_on}T09:00:00`);
  });

  it('repeats the day of the month of a first day that is past, or the last of a shorter month', async () => {
    const { data } = (await schedule({ schedule_period: 'monthly', starts_on: '2020-01-31' })).body;
    expect(data.starts_on).toBe('2020-01-31');
    const day = new Date(`${data.local_next_run_at.slice(0, 10)}T00:00:00Z`);
    const following = new Date(day.getTime() + 24 * 3_600_000);
    expect(following.getUTCDate()).toBe(1);
  });

  it('takes ids of survey types and objects that name them, each once', async () => {
    const { id } = await createSurvey(test, practice.organizationId, { name: 'Second' });
    const { data } = (await schedule({ surveys: [id, { survey_type_id: String(practice.survey.id) }, String(id)] })).body;
    expect(data.surveys.map(({ uuid }: { uuid: number }) => uuid)).toEqual([practice.survey.id, id]);
  });

  it('names its recipients, each by the way that was asked for or that reaches them', async () => {
    const [texted, mailed, silent] = [await recipient(), await recipient(), await recipient({ doNotSms: true })];
    const { data } = (
      await schedule({
        recipients: [{ recipient_id: texted.id }, { recipient_id: mailed.id, sms_email: 'email' }, { recipient_id: silent.id }],
      })
    ).body;
    expect(data.recipient_count).toBe(3);
    expect(data.recipients).toMatchObject([
      { patient: { uuid: texted.id, firstname: 'Rosa' }, channel: 'sms' },
      { patient: { uuid: mailed.id }, channel: 'email' },
      { patient: { uuid: silent.id }, channel: 'email' },
    ]);
    const { organizationId } = practice;
    const audits = await rows().auditEntry.findMany({
      where: { organizationId, operation: 'POST /scheduled-checkins', resource: 'patient' },
      orderBy: { id: 'asc' },
    });
    expect(audits.map(({ resourceIds }) => resourceIds)).toContainEqual([texted.id, mailed.id, silent.id]);
    await practice.person.delete(`/scheduled-checkins/${data.uuid}`);
    const changes = await rows().auditEntry.findMany({
      where: { organizationId, resource: 'scheduled_check_in', patientIds: { has: silent.id }, action: { in: ['create', 'delete'] } },
      orderBy: { id: 'asc' },
    });
    expect(changes.map(({ action, resourceIds }) => [action, resourceIds])).toEqual([
      ['create', [data.uuid]],
      ['delete', [data.uuid]],
    ]);
  });

  it.each([
    ['9:00', '09:00'],
    ['09:00:00', '09:00'],
    [' 21:30 ', '21:30'],
    ['9:00 AM', '09:00'],
    ['12:15 a.m.', '00:15'],
    ['12:15pm', '12:15'],
  ])('understands the time %j', async (written, time) => {
    expect((await schedule({ schedule_time: written })).body.data.schedule_time).toBe(time);
  });

  it('takes recipients within its surveys as its own, and the way of each under the names that others have for it', async () => {
    const [one, two] = [await recipient(), await recipient()];
    const named = [
      { recipient_id: one.id, channel: 'EMAIL' },
      { recipient_id: two.id, emailOrSms: 'sms' },
    ];
    const answer = await schedule({ surveys: [{ survey_type_id: practice.survey.id, recipients: named, colour: 'red' }] });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.data.recipients).toMatchObject([
      { patient: { uuid: one.id }, channel: 'email' },
      { patient: { uuid: two.id }, channel: 'sms' },
    ]);
    expect(answer.headers['warning-fields']).toBe('surveys.0.colour');
    const alone = await schedule({ surveys: [{ survey_type_id: practice.survey.id, recipient_id: one.id, sms_email: 'email' }] });
    expect(alone.body.data.recipients).toMatchObject([{ patient: { uuid: one.id }, channel: 'email' }]);
    const { id } = await createSurvey(test, practice.organizationId, { name: 'Second' });
    const others = await schedule({
      surveys: [
        { survey_type_id: practice.survey.id, recipient_id: one.id },
        { survey_type_id: id, recipient_id: two.id },
      ],
    });
    expect([others.status, others.body.errors]).toMatchObject([400, [{ pointer: '/surveys/1', code: 'contradiction' }]]);
    const twoWays = await schedule({ recipients: [{ recipient_id: one.id, sms_email: 'sms', channel: 'email' }] });
    expect(twoWays.body.errors).toMatchObject([{ pointer: '/recipients/0/sms_email' }, { pointer: '/recipients/0/channel' }]);
  });

  it('takes one recipient beside its surveys, and the names that people have elsewhere, and never means everybody by them', async () => {
    const { id } = await recipient();
    const surveys = [{ survey_type_id: practice.survey.id }];
    const inSurvey = (named: object) => ({ surveys: [{ survey_type_id: practice.survey.id, ...named }] });
    for (const named of [
      { surveys, recipient_id: id },
      { surveys, patient_id: String(id) },
      { surveys, patients: [{ patient_uuid: id }] },
      inSurvey({ patient: id }),
      inSurvey({ patients: [{ recipient_id: id }], recipients: null }),
    ]) {
      const { body } = await schedule(named);
      expect([named, body.data?.recipients]).toMatchObject([named, [{ patient: { uuid: id } }]]);
    }
    const way = await schedule({ surveys, channel: 'email', recipient_id: id });
    expect(way.body.data.recipients).toMatchObject([{ patient: { uuid: id }, channel: 'email' }]);
    expect((await schedule({ surveys, recipient_id: id, recipients: [{ recipient_id: id + 1 }] })).body.errors).toMatchObject([
      { pointer: '/recipient_id', code: 'contradiction' },
    ]);
    expect((await schedule({ surveys, channel: 'email' })).headers['warning-fields']).toBe('sms_email');
  });

  it.each([
    ['no name', { name: ' ' }, '/name'],
    ['a time that is none', { schedule_time: '24:00' }, '/schedule_time'],
    ['a time with seconds that no clock of the schedule has', { schedule_time: '09:00:30' }, '/schedule_time'],
    ['a time that no clock shows', { schedule_time: '13:00 PM' }, '/schedule_time'],
    ['a period that is none', { schedule_period: 'hourly' }, '/schedule_period'],
    ['no survey', { surveys: [] }, '/surveys'],
    ['a survey that is none', { surveys: ['daily'] }, '/surveys/0'],
    ['an empty list of recipients, which must not mean everybody', { recipients: [] }, '/recipients'],
    ['a recipient twice', { recipients: [{ recipient_id: 1 }, { recipient_id: 1 }] }, '/recipients'],
    ['ids as recipients', { patients: [45, 46] }, '/patients/0', '/patients/1'],
    ['ids as recipients of a survey', { surveys: [{ survey_type_id: 1, recipients: [45] }] }, '/surveys/0/recipients/0'],
    ['no recipient of a survey', { surveys: [{ survey_type_id: 1, recipients: [] }] }, '/surveys/0/recipients'],
    ['a survey without its type', { surveys: [{ recipient_id: 45 }] }, '/surveys/0/survey_type_id'],
    ['a day that does not exist', { starts_on: '2031-02-30' }, '/starts_on'],
  ])('is refused with %s', async (_, data, ...pointers) => {
    const answer = await schedule(data);
    expect([answer.status, answer.body.errors]).toMatchObject([400, pointers.map((pointer) => ({ pointer }))]);
  });

  it('finds no survey type and no patient of another practice, and cannot ask what was ended or whom nothing reaches', async () => {
    const other = await surveyingPractice(test);
    const theirs = await createRecipient(test, other.organizationId);
    const ended = await createSurvey(test, practice.organizationId, { active: false });
    const unreachable = await recipient({ mobilePhone: null, email: null });
    expect((await schedule({ surveys: [other.survey.id] })).body).toMatchObject({ status: 404, errors: [{ pointer: '/surveys' }] });
    expect((await schedule({ recipients: [{ recipient_id: theirs.id }] })).body).toMatchObject({
      status: 404,
      errors: [{ pointer: '/recipients/0/recipient_id' }],
    });
    expect((await schedule({ surveys: [ended.id] })).body).toMatchObject({ status: 422, code: 'survey_type_ended' });
    expect((await schedule({ recipients: [{ recipient_id: unreachable.id }] })).body).toMatchObject({ status: 422, code: 'no_email' });
  });
});

describe('scheduled check-ins', () => {
  it('are listed by id without their recipients, those that go on or those that were ended', async () => {
    const own = await surveyingPractice(test);
    const make = async (name: string) =>
      Number((await own.person.post('/scheduled-checkins').send(request({ name, surveys: [own.survey.id] }))).body.data.uuid);
    const [first, second] = [await make('First'), await make('Second')];
    expect((await own.person.delete(`/scheduled-checkins/${first}`)).status).toBe(204);
    const list = async (query: string) =>
      (await own.person.get(`/scheduled-checkins${query}`)).body.data.map(({ uuid }: { uuid: number }) => uuid);
    expect(await list('')).toEqual([first, second]);
    expect(await list('?active=1')).toEqual([second]);
    expect(await list('?active=0')).toEqual([first]);
    expect(await list('?limit=1&page=2')).toEqual([second]);
  });

  it('that are ended stay on record and run no more; ending them again changes nothing', async () => {
    const { uuid } = (await schedule()).body.data;
    for (const _ of [1, 2]) expect((await practice.person.delete(`/scheduled-checkins/${uuid}`)).status).toBe(204);
    expect((await practice.person.get(`/scheduled-checkins/${uuid}`)).body.data).toMatchObject({ active: 0, next_run_at: null });
    const { organizationId } = practice;
    const events = await rows().event.findMany({
      where: { organizationId, subjectType: 'scheduled_check_in', subjectId: uuid },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ name }) => name)).toEqual(['scheduled_check_in.created', 'scheduled_check_in.ended']);
  });
});

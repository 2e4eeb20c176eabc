import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createRecipient, createSurvey, findLink, type Surveying, surveyingPractice } from '../../../../support/check-ins.ts';
import { anyNumber } from '../../../../support/phone-numbers.ts';

const test = await sharedTestApp();
const practice: Surveying = await surveyingPractice(test);

const rows = () => test.database.prisma;
const recipient = (data: object = {}) => createRecipient(test, practice.organizationId, data);
const send = (body: object) =>
  practice.person.post('/checkin/send').send({ sms_email: 'sms', survey_type_id: practice.survey.id, ...body });
const find = (id: number) =>
  rows().checkIn.findUniqueOrThrow({
    where: { organizationId_id: { organizationId: practice.organizationId, id } },
    include: { text: true, mail: true },
  });

describe('sending a check-in', () => {
  it('understands the way under each name that requests and responses have for it, and refuses two ways', async () => {
    const { id } = await recipient();
    const sent = (way: object) =>
      practice.person.post('/checkin/send').send({ survey_type_id: practice.survey.id, recipient_id: id, ...way });
    for (const way of [
      { channel: 'email' },
      { emailOrSms: 'Email' },
      { sms_email: '', channel: 'email' },
      { sms_email: 'email', channel: 'email' },
    ]) {
      const answer = await sent(way);
      expect([answer.status, answer.body.data?.channel, answer.headers['warning-fields']]).toEqual([201, 'email', undefined]);
    }
    expect((await sent({ channel: 'pigeon' })).body.errors).toMatchObject([{ pointer: '/channel' }]);
    expect((await sent({ sms_email: 'sms', channel: 'email' })).body.errors).toMatchObject([
      { pointer: '/sms_email', code: 'contradiction' },
      { pointer: '/channel', code: 'contradiction' },
    ]);
    expect((await sent({})).body.errors).toMatchObject([{ pointer: '/sms_email', code: 'missing' }]);
  });

  it('answers it with its words as they are kept, its end in seven days, and never its link', async () => {
    const { id, lastName } = await recipient();
    const answer = await send({
      recipient_id: id,
      message: 'Hi {{First Name}} {{last_name}}, {{org name}}, {{org phone number}} here: {{ url }} Thanks!',
    });
    expect(answer.status, answer.text).toBe(201);
    const { data } = answer.body;
    expect(data).toMatchObject({
      patient: { uuid: id, firstname: 'Rosa', lastname: lastName },
      survey_type: { uuid: practice.survey.id, name: 'How are you?' },
      channel: 'sms',
      message: `Hi Rosa ${lastName}, Hudson Family Practice, (910) 555-0123 here: {{url}} Thanks!`,
      sent_by: practice.person.user.id,
      answered_at: null,
      delivery: { state: 'queued', reason: null, reason_code: null, not_before: null },
    });
    expect(Date.parse(data.expires_at) - Date.parse(data.sent_at)).toBe(7 * 24 * 3_600_000);
    const path = await findLink(test, practice.organizationId, data.uuid);
    expect(path).toMatch(/^\/c\/[A-Za-z0-9_-]{32}$/);
    expect(answer.text).not.toContain(path.slice(3));
  });

  it('keeps the link nowhere in the open', async () => {
    const { id } = await recipient();
    const { uuid } = (await send({ recipient_id: id, message: 'Hello' })).body.data;
    const token = (await findLink(test, practice.organizationId, uuid)).slice(3);
    const { text, message } = await find(uuid);
    expect([message, text?.body]).toEqual(['Hello {{url}}', 'Hello {{url}}']);
    expect(JSON.stringify([text, test.logs])).not.toContain(token);
    const jobs = await rows().$queryRaw<{ data: object }[]>`
      SELECT data FROM queue.job WHERE name = 'send-text' AND (data->>'id')::bigint = ${text?.id}`;
    expect(jobs).toEqual([{ data: { kind: 'send-text', organizationId: practice.organizationId, id: text?.id } }]);
  });

  it('says the usual words where none are given', async () => {
    const { id } = await recipient();
    expect((await send({ recipient_id: id })).body.data.message).toBe(
      'Hello Rosa, Hudson Family Practice would like to know how you are. Please answer a few questions: {{url}}',
    );
  });

  it.each([
    ['wants no texts', { doNotSms: true }, 'do_not_sms'],
    ['wants no communication at all', { doNotCall: true }, 'do_not_call'],
    ['died', { deceasedDate: new Date('2024-02-02') }, 'deceased'],
  ])('is refused to a patient who %s, and nothing is stored', async (_, chart, reason) => {
    const { id } = await recipient(chart);
    expect(await send({ recipient_id: id, sms_email: 'SMS' })).toMatchObject({ status: 409, body: { code: reason } });
    expect(await rows().checkIn.count({ where: { organizationId: practice.organizationId, patientId: id } })).toBe(0);
    const byMail = await send({ recipient_id: id, sms_email: 'Email' });
    expect([byMail.status, byMail.body.code]).toEqual(reason === 'do_not_sms' ? [201, undefined] : [409, reason]);
  });

  it('goes by mail, with a subject that says nothing of health', async () => {
    const { id } = await recipient({ mobilePhone: null });
    const { data } = (await send({ recipient_id: id, sms_email: 'Email' })).body;
    expect(data).toMatchObject({ channel: 'email', delivery: { state: 'queued' } });
    const { mail, text } = await find(data.uuid);
    expect(mail).toMatchObject({ toAddress: 'rosa@example.com', subject: 'A few questions from Hudson Family Practice' });
    expect(text).toBeNull();
  });

  it('goes to another number or address where one is given, by the way that its form says', async () => {
    const { id } = await recipient({ mobilePhone: null, email: null });
    const byText = (await send({ recipient_id: id, sms_email: '(910) 555-0177' })).body.data;
    expect(byText.channel).toBe('sms');
    expect((await find(byText.uuid)).text?.toNumber).toBe('+19105550177');
    const byMail = (await send({ recipient_id: id, sms_email: 'daughter@example.com' })).body.data;
    expect(byMail.channel).toBe('email');
    expect((await find(byMail.uuid)).mail?.toAddress).toBe('daughter@example.com');
  });

  it.each([
    ['an unknown placeholder', { message: 'Hello {{nick name}}' }, 'message', '{{nick name}}'],
    ['a placeholder of appointments', { message: 'Hello {{appointment date}}' }, 'message', '{{appointment date}}'],
    ['unbalanced double braces', { message: 'Hello {{url' }, 'message', 'double braces'],
    ['a message that is too long', { message: 'x'.repeat(1_601) }, 'message', '1600'],
    ['a message that is too long with its link', { message: 'x'.repeat(1_590) }, 'message', '1600'],
    ['a way that is none', { sms_email: 'pigeon' }, 'sms_email', 'must be sms, email'],
    ['no way', { sms_email: undefined }, 'sms_email', 'is missing'],
    ['no survey type', { survey_type_id: undefined }, 'survey_type_id', 'is missing'],
  ])('is refused with %s, by name', async (_, body, field, said) => {
    const { id } = await recipient();
    const answer = await send({ recipient_id: id, ...body });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer: `/${field}` }]);
    expect(answer.body.detail).toContain(said);
  });

  it.each([
    [
      'a placeholder has no value',
      { firstName: null, lastName: null },
      { message: '{{first name}}, how are you?' },
      'missing_values',
      '{{first name}}',
    ],
    ['the patient has no mobile number', { mobilePhone: null }, {}, 'no_mobile_number', ''],
    ['the patient has no address', { email: null }, { sms_email: 'email' }, 'no_email', ''],
  ])('cannot be done where %s', async (_, chart, body, code, said) => {
    const { id } = await recipient(chart);
    const answer = await send({ recipient_id: id, ...body });
    expect([answer.status, answer.body.code]).toEqual([422, code]);
    expect(answer.body.detail).toContain(said);
    expect(await rows().checkIn.count({ where: { organizationId: practice.organizationId, patientId: id } })).toBe(0);
  });

  it('is refused for a survey type that was ended, or that has no questions', async () => {
    const { id } = await recipient();
    const ended = await createSurvey(test, practice.organizationId, { active: false });
    const empty = await createSurvey(test, practice.organizationId, { questions: [] });
    expect((await send({ recipient_id: id, survey_type_id: ended.id })).body).toMatchObject({ status: 422, code: 'survey_type_ended' });
    expect((await send({ recipient_id: id, survey_type_id: empty.id })).body).toMatchObject({ status: 422, code: 'survey_type_empty' });
  });

  it('finds no patient or survey type of another practice, no deleted chart, and no contact who is no patient', async () => {
    const other = await surveyingPractice(test);
    const theirs = await createRecipient(test, other.organizationId);
    const own = await recipient();
    const deleted = await recipient({ status: 'deleted' });
    const contact = await rows().contact.create({ data: { organizationId: practice.organizationId, phone: anyNumber() } });
    for (const id of [theirs.id, deleted.id, contact.id]) {
      const answer = await send({ recipient_id: id });
      expect([answer.status, answer.body.errors]).toMatchObject([404, [{ pointer: '/recipient_id' }]]);
    }
    const answer = await send({ recipient_id: own.id, survey_type_id: other.survey.id });
    expect([answer.status, answer.body.errors]).toMatchObject([404, [{ pointer: '/survey_type_id' }]]);
  });

  it('is sent once for one Idempotency-Key', async () => {
    const { id } = await recipient();
    const once = () => send({ recipient_id: id, message: 'Once' }).set('idempotency-key', `once-${id}`);
    const [first, second] = [await once(), await once()];
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(await rows().checkIn.count({ where: { organizationId: practice.organizationId, patientId: id } })).toBe(1);
  });

  it('leaves one event of its own and audit rows', async () => {
    const { id } = await recipient();
    const { uuid } = (await send({ recipient_id: id })).body.data;
    const { organizationId, person } = practice;
    const events = await rows().event.findMany({
      where: { organizationId, subjectType: 'check_in', subjectId: uuid },
      orderBy: { id: 'asc' },
    });
    expect(events).toMatchObject([{ name: 'check_in.sent', actor: `user:${person.user.id}` }]);
    const audits = await rows().auditEntry.findMany({ where: { organizationId, operation: 'POST /checkin/send' }, orderBy: { id: 'asc' } });
    const seen = audits.map(({ action, resource, resourceIds }) => `${action} ${resource} ${resourceIds}`);
    expect(seen).toContain(`create check_in ${uuid}`);
    expect(seen).toContain(`read patient ${id}`);
  });

  it('is refused by a practice without a number, unless it goes by mail', async () => {
    const person = await signedInUser(test);
    const { id: survey_type_id } = await createSurvey(test, person.organizationId);
    const { id: recipient_id } = await createRecipient(test, person.organizationId);
    const by = (sms_email: string) => person.post('/checkin/send').send({ recipient_id, survey_type_id, sms_email });
    expect((await by('sms')).body).toMatchObject({ status: 409, code: 'no_number' });
    expect((await by('email')).status).toBe(201);
  });
});

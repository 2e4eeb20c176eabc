import { describe, expect, it } from 'vitest';
import type { Prisma } from '../../../../../src/generated/prisma/client.ts';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import { type Person, uuids } from '../../people/people.ts';

const test = await sharedTestApp();

const rows = () => test.database.prisma;

const text = ({ organizationId }: Person, data: Partial<Prisma.SmsMessageUncheckedCreateInput> = {}) =>
  rows().smsMessage.create({
    data: {
      organizationId,
      direction: 'outbound',
      fromNumber: '+19105550100',
      toNumber: '+19105550123',
      body: 'Hello.',
      state: 'sent',
      ...data,
    },
  });

const template = ({ organizationId }: Person, name: string) =>
  rows().smsTemplate.create({ data: { organizationId, category: name, name, body: 'Hello.' } });

const days = ['2031-03-01', '2031-03-02', '2031-03-03'];

describe('the list of texts', () => {
  it('is newest first, and of what came at one time in order of the id', async () => {
    const person = await signedInUser(test);
    const queuedAt = new Date('2031-03-01T12:00:00Z');
    const [a, b, c] = [await text(person, { queuedAt }), await text(person, { queuedAt }), await text(person)];
    const newest = new Date('2031-03-02T12:00:00Z');
    await rows().smsMessage.updateMany({ where: { organizationId: person.organizationId, id: c.id }, data: { queuedAt: newest } });
    expect(uuids(await person.get('/sms-messages'))).toEqual([c.id, b.id, a.id]);
  });

  it('pages, and keeps the filters in its links', async () => {
    const person = await signedInUser(test);
    for (const day of days) await text(person, { queuedAt: new Date(`${day}T12:00:00Z`) });
    const first = await person.get('/sms-messages?limit=2&state=sent');
    expect(first.body.meta).toEqual({ current_page: 1, per_page: 2, from: 1, to: 2, total: 3, last_page: 2 });
    expect(first.body.links.next).toContain('state=sent');
    const second = await person.get('/sms-messages?limit=2&state=sent&page=2');
    expect(new Set([...uuids(first), ...uuids(second)]).size).toBe(3);
  });

  it('keeps the texts of a restricted patient in their places, without patient, number and words', async () => {
    const person = await signedInUser(test);
    const { organizationId } = person;
    const { id: patientId } = await createPatient(rows(), { organizationId, mobilePhone: '+19105550123' });
    await rows().privacyRestriction.create({ data: { organizationId, patientId, kind: 'blocked' } });
    await text(person, { patientId, state: 'suppressed', reason: 'deceased' });
    // Came in before anything told whose the number is.
    await text(person, { direction: 'inbound', state: 'received', fromNumber: '+19105550123', toNumber: '+19105550100' });
    // Somebody typed the number: an answer must not tell whose it is.
    const typed = await text(person, { toNumber: '+19105550123' });
    const { data } = (await person.get('/sms-messages')).body;
    expect(data.shift()).toMatchObject({ uuid: typed.id, patient_restricted: false, to_number: '9105550123', message: 'Hello.' });
    const withheld = { patient_id: null, patient: null, patient_restricted: true, message: null, reason: null, reason_code: null };
    expect(data).toMatchObject([
      { ...withheld, direction: 'inbound', from_number: null, to_number: '9105550100' },
      { ...withheld, direction: 'outbound', from_number: '9105550100', to_number: null },
    ]);
    expect((await person.get(`/sms-messages?patient=${patientId}`)).body).toMatchObject({ data: [], meta: { total: 0 } });
    expect((await person.get('/sms-messages/report')).body.data.total).toBe(3);
    await rows().privacyRestriction.updateMany({ where: { organizationId }, data: { liftedAt: new Date() } });
    const after = (await person.get(`/sms-messages?patient=${patientId}`)).body.data;
    expect(after).toMatchObject([{ patient_id: patientId, patient_restricted: false, message: 'Hello.', reason_code: 'deceased' }]);
  });

  it('is filtered by patient, appointment, template, state and direction', async () => {
    const person = await signedInUser(test);
    const { organizationId } = person;
    const { id: patientId } = await createPatient(rows(), { organizationId });
    const { id: appointmentId } = await rows().appointment.create({ data: { organizationId, timeZone: 'UTC', durationMinutes: 30 } });
    const { id: templateId } = await template(person, 'one');
    await text(person);
    const found = [
      [`patient=${patientId}`, await text(person, { patientId })],
      [`appointment=${appointmentId}`, await text(person, { appointmentId })],
      [`template=${templateId}`, await text(person, { templateId })],
      ['state=failed', await text(person, { state: 'failed', reason: 'unreachable' })],
      ['direction=inbound', await text(person, { direction: 'inbound', state: 'received' })],
    ] as const;
    for (const [query, { id }] of found) expect([query, uuids(await person.get(`/sms-messages?${query}`))]).toEqual([query, [id]]);
    expect(uuids(await person.get(`/sms-messages?patient=${patientId}&state=failed`))).toEqual([]);
  });

  it('is filtered by days of the organization’s clocks, both belonging to the range, and by moments', async () => {
    const person = await signedInUser(test);
    // In New York it is the evening before.
    const early = await text(person, { queuedAt: new Date('2031-03-02T04:59:59Z') });
    const late = await text(person, { queuedAt: new Date('2031-03-02T05:00:00Z') });
    const ids = async (query: string) => uuids(await person.get(`/sms-messages?${query}`));
    expect(await ids('min_date=2031-03-02')).toEqual([late.id]);
    expect(await ids('max_date=2031-03-01')).toEqual([early.id]);
    expect(await ids('min-date=2031-03-01&max-date=2031-03-02')).toEqual([late.id, early.id]);
    expect(await ids('min_date=2031-03-02T05:00:00Z')).toEqual([late.id]);
  });

  it.each([
    ['state=lost', '/state'],
    ['direction=up', '/direction'],
    ['patient=x', '/patient'],
    ['min_date=yesterday', '/min_date'],
    ['min_date=2031-03-02&max_date=2031-03-01', '/min_date'],
    ['limit=1001', '/limit'],
  ])('refuses ?%s and names the field', async (query, pointer) => {
    const person = await signedInUser(test);
    const answer = await person.get(`/sms-messages?${query}`);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, pointer]);
  });

  it('says in words what became of each', async () => {
    const person = await signedInUser(test);
    await text(person, { state: 'suppressed', reason: 'opted_out' });
    await text(person, { state: 'queued', notBefore: new Date('2031-03-01T13:00:00Z') });
    await text(person, { state: 'failed', reason: 'spam_found' });
    await text(person, { state: 'suppressed', reason: 'no_mobile_number', toNumber: '' });
    const { data } = (await person.get('/sms-messages')).body;
    const told = data.map((one: Record<string, unknown>) => [one.state, one.reason_code, one.reason, one.to_number]);
    expect(told).toEqual([
      ['suppressed', 'no_mobile_number', 'The patient has no mobile number.', null],
      ['failed', 'spam_found', 'The carrier refused it.', '9105550123'],
      ['queued', 'postponed', 'Postponed until `not_before`.', '9105550123'],
      ['suppressed', 'opted_out', 'The number opted out of texts.', '9105550123'],
    ]);
  });

  it('leaves an audit row that names the charts that were shown', async () => {
    const person = await signedInUser(test);
    const { organizationId } = person;
    const patient = await createPatient(rows(), { organizationId });
    await text(person, { patientId: patient.id });
    await person.get('/sms-messages');
    const [entry] = await rows().auditEntry.findMany({ where: { organizationId, resource: 'patient' }, orderBy: { id: 'asc' } });
    expect(entry).toMatchObject({ action: 'search', resourceIds: [patient.id], operation: 'GET /sms-messages' });
  });
});

describe('the report', () => {
  it('counts by state, template and day, in sums that agree with the list', async () => {
    const person = await signedInUser(test);
    const [one, two] = [await template(person, 'one'), await template(person, 'two')];
    const states = ['delivered', 'failed', 'suppressed'] as const;
    for (const [index, day] of days.entries()) {
      for (let copy = 0; copy <= index; copy += 1) {
        const templateId = copy === 0 ? one.id : two.id;
        await text(person, { queuedAt: new Date(`${day}T20:00:00Z`), state: states[index] ?? 'sent', templateId });
      }
    }
    await text(person, { queuedAt: new Date('2031-03-03T20:00:00Z'), direction: 'inbound', state: 'received' });
    const range = 'min_date=2031-03-01&max_date=2031-03-03';
    const { data } = (await person.get(`/sms-messages/report?${range}`)).body;
    expect(data).toMatchObject({ time_zone: 'America/New_York', from: '2031-03-01T05:00:00Z', before: '2031-03-04T05:00:00Z', total: 7 });
    expect(data.by_day).toEqual(days.map((day, index) => ({ day, count: [1, 2, 4][index] })));
    expect(data.by_state).toEqual([
      { state: 'delivered', count: 1 },
      { state: 'failed', count: 2 },
      { state: 'received', count: 1 },
      { state: 'suppressed', count: 3 },
    ]);
    expect(data.by_template).toEqual([
      { template_id: one.id, template: 'one', count: 3 },
      { template_id: two.id, template: 'two', count: 3 },
      { template_id: null, template: null, count: 1 },
    ]);
    expect((await person.get(`/sms-messages?${range}`)).body.meta.total).toBe(data.total);
    for (const { state, count } of data.by_state)
      expect((await person.get(`/sms-messages?${range}&state=${state}`)).body.meta.total).toBe(count);
    for (const { day, count } of data.by_day)
      expect((await person.get(`/sms-messages?min_date=${day}&max_date=${day}`)).body.meta.total).toBe(count);
  });

  it('counts a day by the organization’s clocks', async () => {
    const person = await signedInUser(test, { organization: { timeZone: 'America/Los_Angeles' } });
    await text(person, { queuedAt: new Date('2031-03-02T07:59:59Z') });
    const { data } = (await person.get('/sms-messages/report?min_date=2031-01-01&max_date=2031-12-31')).body;
    expect(data.by_day).toEqual([{ day: '2031-03-01', count: 1 }]);
  });

  it('is of the last thirty days unless asked otherwise', async () => {
    const person = await signedInUser(test, { organization: { timeZone: 'UTC' } });
    const midnight = Math.floor(Date.now() / 86_400_000) * 86_400_000;
    await text(person, { queuedAt: new Date(midnight - 29 * 86_400_000) });
    await text(person, { queuedAt: new Date(midnight - 31 * 86_400_000) });
    expect((await person.get('/sms-messages/report')).body.data).toMatchObject({ total: 1, before: null });
  });

  it.each([
    ['min_date=soon', '/min_date'],
    ['min_date=2031-03-02&max_date=2031-03-01', '/min_date'],
  ])('refuses ?%s and names the field', async (query, pointer) => {
    const person = await signedInUser(test);
    const answer = await person.get(`/sms-messages/report?${query}`);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, pointer]);
  });
});

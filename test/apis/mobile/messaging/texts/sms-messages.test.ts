import { beforeAll, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient, createUser } from '../../../../support/factories.ts';
import { addPhoneNumber, anyNumber } from '../../../../support/phone-numbers.ts';
import type { Person } from '../../people/people.ts';

const test = await sharedTestApp();
const person: Person = await signedInUser(test, { organization: { quietHoursStart: '00:00', quietHoursEnd: '00:00' } });
beforeAll(async () => {
  await own(person);
});

const rows = () => test.database.prisma;

/** A plain number of the practice. */
const own = ({ organizationId }: Person, data: object = {}) =>
  addPhoneNumber(rows(), { organizationId, number: anyNumber(), kind: 'plain', carrier: 'local', carrierId: 'PN-1', ...data });

const chart = ({ organizationId }: Person, data: object = {}) =>
  createPatient(rows(), { organizationId, firstName: 'Rosa', mobilePhone: anyNumber(), ...data });

/** An appointment on a summer day in New York. */
async function book(of: Person, data: object = {}) {
  const startsAt = new Date('2031-07-03T18:30:00Z');
  const patientId = (await chart(of)).id;
  const times = { startsAt, localStart: new Date('2031-07-03T14:30:00Z'), endsAt: new Date('2031-07-03T19:00:00Z') };
  const { organizationId } = of;
  return rows().appointment.create({
    data: { organizationId, timeZone: 'America/New_York', durationMinutes: 30, patientId, ...times, ...data },
  });
}

const template = ({ organizationId }: Person, data: object = {}) =>
  rows().smsTemplate.create({
    data: {
      organizationId,
      category: 'reminder',
      name: 'Reminder',
      body: '{{first name}}: {{appointment date}} at {{appointment time}}.',
      ...data,
    },
  });

const send = (of: Person, id: number, body: object) => of.post(`/appointments/${id}/send-sms`).send(body);
/** Queued jobs of a text. */
const listJobs = (id: number) => rows().$queryRaw<{ data: object }[]>`
  SELECT data FROM queue.job WHERE name = 'send-text' AND (data->>'id')::bigint = ${id}`;

describe('sending a text about an appointment', () => {
  it('answers the message as it is queued, filled in by the clocks of the appointment', async () => {
    const { id: template_id } = await template(person);
    const { id, patientId } = await book(person);
    const answer = await send(person, id, { template_id });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.data).toMatchObject({
      direction: 'outbound',
      state: 'queued',
      reason: null,
      message: 'Rosa: July 3, 2031 at 2:30 PM.',
      patient: { uuid: patientId, firstname: 'Rosa' },
      appointment: { uuid: id, appointment_date: '2031-07-03T18:30:00Z', appointment_timezone: 'America/New_York' },
      template: { uuid: template_id, name: 'Reminder' },
      sent_at: null,
    });
    expect((await person.get(`/sms-messages?appointment=${id}`)).body.data).toEqual([answer.body.data]);
  });

  it('leaves one job in the queue, which holds no patient data', async () => {
    const { id } = await book(person);
    const { uuid } = (await send(person, id, { message: 'Please bring your card.' })).body.data;
    expect(await listJobs(uuid)).toEqual([{ data: { kind: 'send-text', organizationId: person.organizationId, id: uuid } }]);
  });

  it('leaves an event, and one audit row of each act', async () => {
    const { id, patientId } = await book(person);
    const { uuid } = (await send(person, id, { message: 'Hello.' })).body.data;
    const { organizationId } = person;
    const event = await rows().event.findFirst({ where: { organizationId, subjectType: 'text', subjectId: uuid } });
    expect(event).toMatchObject({ name: 'text.queued', actor: `user:${person.user.id}` });
    const audits = await rows().auditEntry.findMany({
      where: { organizationId, requestId: event?.requestId ?? '' },
      orderBy: { id: 'asc' },
    });
    const seen = audits.map(({ action, resource, resourceIds }) => `${action} ${resource} ${resourceIds}`);
    expect(seen).toEqual([`read appointment ${id}`, `read patient ${patientId}`, `create text ${uuid}`, `update appointment ${id}`]);
  });

  it('is sent once for one Idempotency-Key', async () => {
    const { id } = await book(person);
    const twice = [1, 2].map(() => send(person, id, { message: 'Once.' }).set('idempotency-key', `once-${id}`));
    const [first, second] = [await twice[0], await twice[1]];
    expect(second?.text).toBe(first?.text);
    expect(second?.headers['idempotent-replayed']).toBe('true');
    expect(await rows().smsMessage.count({ where: { organizationId: person.organizationId, appointmentId: id } })).toBe(1);
    expect(await listJobs(first?.body.data.uuid)).toHaveLength(1);
  });

  it('takes the message for the words of the template, which it still names', async () => {
    const { id: template_id } = await template(person);
    const { id } = await book(person);
    const { data } = (await send(person, id, { template_id, message: 'Dear {{ First Name }}, see you soon.' })).body;
    expect(data).toMatchObject({ message: 'Dear Rosa, see you soon.', template_id });
  });

  it('puts the address where a user may be reviewed in its place, else at the end', async () => {
    const { organizationId } = person;
    const { user } = await createUser(rows(), { organizationId });
    await rows().userReviewUrl.create({ data: { organizationId, userId: user.id, url: 'https://example.com/r/1' } });
    const { id } = await book(person);
    const placed = await send(person, id, { message: 'Tell us: {{url}} Thanks!', review_user_id: user.id });
    expect(placed.body.data).toMatchObject({ message: 'Tell us: https://example.com/r/1 Thanks!', review_user_id: user.id });
    const added = await send(person, id, { message: 'Thank you for coming.', review_user_id: user.id });
    expect(added.body.data.message).toBe('Thank you for coming. https://example.com/r/1');
  });

  it('goes out from the number that the patient knows, else from the one that the practice has had longest', async () => {
    const other = await signedInUser(test);
    const { organizationId } = other;
    await own(other, { releasedAt: new Date() });
    await own(other, { kind: 'fax' });
    await own(other, { carrierId: null });
    const [first, second] = [await own(other), await own(other)];
    const from = async (id: number) => `+1${(await send(other, id, { message: 'Hello.' })).body.data.from_number}`;
    const [stranger, known] = [await book(other), await book(other)];
    expect(await from(stranger.id)).toBe(first.number);
    const { mobilePhone } = await rows().patient.findFirstOrThrow({ where: { organizationId, id: known.patientId ?? 0 } });
    const past = { organizationId, direction: 'outbound', fromNumber: second.number, toNumber: mobilePhone ?? '' } as const;
    await rows().smsMessage.create({ data: { ...past, body: 'Before.', state: 'sent', queuedAt: new Date('2030-01-01') } });
    expect(await from(known.id)).toBe(second.number);
  });
});

describe('a text about an appointment is refused', () => {
  const refusals: [string, object, object, number, string][] = [
    ['with null for words and no template', { message: null }, {}, 400, 'invalid_input'],
    ['with empty words and no template', { message: '  ' }, {}, 400, 'invalid_input'],
    ['with a placeholder that nobody knows', { message: 'Hello {{nickname}}' }, {}, 400, 'invalid_input'],
    ['with 50 kB of words', { message: 'x'.repeat(50_000) }, {}, 400, 'invalid_input'],
    ['with a template that does not exist', { template_id: 2_000_000_000 }, {}, 404, 'template_not_found'],
    ['with a user who does not exist', { message: 'Hello.', review_user_id: 2_000_000_000 }, {}, 404, 'user_not_found'],
    ['for an appointment without a patient', { message: 'Hello.' }, { patientId: null }, 422, 'no_patient'],
    ['for a cancelled appointment', { message: 'Hello.' }, { status: 'cancelled' }, 404, 'appointment_not_found'],
    ['where a placeholder has no value', { message: 'In {{office name}}.' }, {}, 422, 'missing_values'],
  ];
  it.each(refusals)('%s', async (_, body, data, status, code) => {
    const { id } = await book(person, data);
    const answer = await send(person, id, body);
    expect([answer.status, answer.body.code], answer.text).toEqual([status, code]);
    expect(answer.text).not.toContain('{{{{');
    expect(await rows().smsMessage.count({ where: { organizationId: person.organizationId, appointmentId: id } })).toBe(0);
  });

  it('names what has no value', async () => {
    const { id } = await book(person);
    expect((await send(person, id, { message: '{{office name}} {{location name}}' })).body.detail).toBe(
      'Nothing is known for {{office name}}, {{location name}}.',
    );
  });

  it('where the user cannot be reviewed anywhere', async () => {
    const { id } = await book(person);
    const answer = await send(person, id, { message: 'Thanks!', review_user_id: person.user.id });
    expect([answer.status, answer.body.code, answer.body.detail]).toEqual([422, 'missing_values', 'Nothing is known for {{review url}}.']);
  });

  it('for a patient without a mobile number', async () => {
    const { id } = await book(person, { patientId: (await chart(person, { mobilePhone: null, homePhone: anyNumber() })).id });
    const answer = await send(person, id, { message: 'Hello.' });
    expect([answer.status, answer.body.code]).toEqual([422, 'no_mobile_number']);
  });

  it('where the practice has no number to send from, and nothing is stored', async () => {
    const poor = await signedInUser(test);
    const { id } = await book(poor);
    const answer = await send(poor, id, { message: 'Hello.' });
    expect([answer.status, answer.body.code]).toEqual([409, 'no_number']);
    expect(await rows().smsMessage.count({ where: { organizationId: poor.organizationId } })).toBe(0);
  });
});

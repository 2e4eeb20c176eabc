import { describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';

const test = await sharedTestApp();
const phone = await signedInUser(test);

const PENDING = { status: 'Pending', at: null, by: null };
const JUST_NOW = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

async function create(fields: object = {}) {
  const answer = await phone.post('/appointments/').send({ appointment_date: '2031-03-04T09:30:00', ...fields });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
}

async function save(uuid: number, fields: object) {
  const answer = await phone.post(`/appointments/${uuid}`).send(fields);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.confirmation;
}

async function events(uuid: number): Promise<string[]> {
  const where = { organizationId: phone.organizationId, subjectType: 'appointment', subjectId: uuid };
  return (await test.database.prisma.event.findMany({ where, orderBy: { id: 'asc' } })).map(({ name }) => name);
}

describe('an appointment', () => {
  it('is Pending until somebody answers', async () => {
    expect((await create()).confirmation).toEqual(PENDING);
  });

  it.each([
    ['Yes', 'appointment.confirmed'],
    ['No', 'appointment.declined'],
  ])('is answered %s by a user, who is noted with the time, and an event tells of it', async (status, event) => {
    const { uuid } = await create();
    expect(await save(uuid, { confirmation: status })).toEqual({ status, at: JUST_NOW, by: 'user' });
    expect(await events(uuid)).toEqual(['appointment.scheduled', 'appointment.changed', event]);
    expect(await save(uuid, { confirmation: status })).toMatchObject({ status });
    expect(await events(uuid)).toHaveLength(3);
  });

  it('can be answered when it is made', async () => {
    const { uuid, confirmation } = await create({ confirmation: 'Yes' });
    expect(confirmation).toEqual({ status: 'Yes', at: JUST_NOW, by: 'user' });
    expect(await events(uuid)).toEqual(['appointment.scheduled', 'appointment.confirmed']);
  });

  it.each([[null], ['Pending']])('has its answer taken back with %s', async (confirmation) => {
    const { uuid } = await create({ confirmation: 'No' });
    expect(await save(uuid, { confirmation })).toEqual(PENDING);
    expect(await events(uuid)).toEqual(['appointment.scheduled', 'appointment.declined', 'appointment.changed']);
  });

  it('keeps its answer, and who gave it when, while other things change', async () => {
    const { uuid, confirmation } = await create({ confirmation: 'Yes' });
    expect(await save(uuid, { show_on_tasks: 0, appointment_date: '2031-03-04T14:30:00Z' })).toEqual(confirmation);
  });

  it('is Pending again when it is moved, through whichever API', async () => {
    const { uuid } = await create({ confirmation: 'Yes' });
    expect(await save(uuid, { appointment_date: '2031-03-05T09:30:00' })).toEqual(PENDING);
    await save(uuid, { confirmation: 'Yes' });
    const app = await integrationClient(test, { organizationId: phone.organizationId });
    await app.put(`/appointments/${uuid}`).send({ appointment_date: '2031-03-06T09:30:00' }).expect(200);
    expect((await phone.get(`/appointments/${uuid}`)).body.data.confirmation).toEqual(PENDING);
  });

  it('stays confirmed when it is moved and confirmed in one request', async () => {
    const { uuid } = await create({ confirmation: 'Yes' });
    expect(await save(uuid, { appointment_date: '2031-03-05T09:30:00', confirmation: 'Yes' })).toEqual({
      status: 'Yes',
      at: JUST_NOW,
      by: 'user',
    });
    expect(await events(uuid)).toEqual(['appointment.scheduled', 'appointment.confirmed', 'appointment.moved', 'appointment.confirmed']);
  });

  it('keeps the answer of the patient, and says that it was the patient’s', async () => {
    const { uuid } = await create();
    const key = { organizationId_id: { organizationId: phone.organizationId, id: uuid } };
    const data = { confirmation: 'Yes', confirmedAt: new Date('2031-03-01T10:00:00Z'), confirmedBy: 'patient' } as const;
    await test.database.prisma.appointment.update({ where: key, data });
    const answered = { status: 'Yes', at: '2031-03-01T10:00:00Z', by: 'patient' };
    expect(await save(uuid, { confirmation: 'Yes' })).toEqual(answered);
    expect((await phone.get(`/appointments/${uuid}`)).body.data.confirmation).toEqual(answered);
  });
});

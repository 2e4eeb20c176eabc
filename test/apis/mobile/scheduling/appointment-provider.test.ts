import { beforeAll, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createPatient, createProvider, createUser } from '../../../support/factories.ts';
import { addPhoneNumber, anyNumber } from '../../../support/phone-numbers.ts';
import { appointmentCalls } from './appointment-calls.ts';

const test = await sharedTestApp();
const desk = await signedInUser(test);
const { organizationId } = desk;
const { create, save } = appointmentCalls(desk);

const rows = () => test.database.prisma;

/** A provider who signs in. */
async function clinician(lastName: string, data: object = {}) {
  const { user } = await createUser(rows(), { organizationId, type: 'provider', lastName });
  const provider = await createProvider(rows(), { organizationId, userId: user.id, firstName: 'Dr.', lastName, ...data });
  return { userId: user.id, id: provider.id };
}

const listUserIds = (data: { users: { uuid: number }[] }) => data.users.map(({ uuid }) => uuid);
const whose = (data: { provider_id: number | null; users: { uuid: number }[] }) => [data.provider_id, listUserIds(data)];

let adams: { userId: number; id: number };
let brook: { userId: number; id: number };
beforeAll(async () => {
  adams = await clinician('Adams');
  brook = await clinician('Brook');
});

describe('the provider of an appointment', () => {
  it('is the one who was chosen, whose user takes part', async () => {
    const made = await create({ provider_id: adams.id });
    expect(whose(made)).toEqual([adams.id, [adams.userId]]);
    expect(whose(await save(made.uuid, { provider_id: brook.id }))).toEqual([brook.id, [adams.userId, brook.userId]]);
    expect(whose(await save(made.uuid, { provider_id: adams.id, 'user[]': [desk.user.id] }))).toEqual([adams.id, [desk.user.id]]);
  });

  it('is the first by id of those whose users take part, and nobody where none does', async () => {
    expect(whose(await create({ user: [brook.userId, desk.user.id, adams.userId] }))[0]).toBe(adams.id);
    const { uuid } = await create({ user: [desk.user.id] });
    expect((await save(uuid, {})).provider_id).toBeNull();
    expect((await save(uuid, { user: [desk.user.id, brook.userId] })).provider_id).toBe(brook.id);
    expect((await save(uuid, { user: [adams.userId, brook.userId] })).provider_id).toBe(brook.id);
    expect((await save(uuid, { user: [adams.userId], provider_id: brook.id })).provider_id).toBe(adams.id);
    expect((await save(uuid, { user: [] })).provider_id).toBeNull();
  });

  it('stays where they have no user, until another provider joins; null leaves it to those who take part', async () => {
    const guest = await createProvider(rows(), { organizationId });
    const made = await create({ provider_id: guest.id, user: [desk.user.id] });
    const { user: aide } = await createUser(rows(), { organizationId });
    expect((await save(made.uuid, { user: [aide.id] })).provider_id).toBe(guest.id);
    expect((await save(made.uuid, { user: [aide.id, brook.userId] })).provider_id).toBe(brook.id);
    await save(made.uuid, { provider_id: guest.id });
    expect((await save(made.uuid, { provider_id: null })).provider_id).toBe(brook.id);
  });

  it('follows each way in which the users change, and is who texts name', async () => {
    const patient = await createPatient(rows(), { organizationId, mobilePhone: anyNumber() });
    const number = anyNumber();
    await addPhoneNumber(rows(), { organizationId, number, kind: 'plain', carrier: 'local', carrierId: 'PN-1' });
    const { uuid } = await create({ patient_id: patient.id, appointment_date: '2031-03-04T09:30:00', user: [adams.userId] });
    const named = async () => {
      const text = await desk.post(`/appointments/${uuid}/send-sms`).send({ message: 'See {{provider name}}.' });
      expect(text.status, text.text).toBe(201);
      return text.body.data.message;
    };
    expect(await named()).toBe('See Dr. Adams.');
    const handed = await desk.put(`/user-appointments/${brook.userId}`).send({ appointment_id: uuid });
    expect([handed.status, handed.body.data.appointment.provider_id]).toEqual([200, brook.id]);
    expect(await named()).toBe('See Dr. Brook.');
    await desk.delete(`/user-appointments/${brook.userId}?appointment_id=${uuid}`).expect(204);
    expect((await desk.get(`/appointments/${uuid}`)).body.data.provider_id).toBeNull();
    const joined = await desk.post('/user-appointments/').send({ user_id: adams.userId, appointment_id: uuid });
    expect(joined.body.data.appointment.provider_id).toBe(adams.id);
    const where = { organizationId, subjectType: 'appointment', subjectId: uuid };
    const last = await rows().event.findFirst({ where, orderBy: { id: 'desc' } });
    expect(last?.changed.toSorted()).toEqual(['providerId', 'users']);
  });

  it('cannot be chosen where they have left, but stays', async () => {
    const left = await clinician('Left', { active: false });
    const refused = await desk.post('/appointments/').send({ provider_id: left.id });
    expect(refused.body).toMatchObject({ status: 400, errors: [{ pointer: '/provider_id', code: 'inactive_provider' }] });
    expect((await create({ user: [left.userId] })).provider_id).toBeNull();
    const { uuid } = await create({ provider_id: adams.id });
    const key = { organizationId_id: { organizationId, id: adams.id } };
    await rows().provider.update({ where: key, data: { active: false } });
    expect((await save(uuid, { provider_id: adams.id, show_on_tasks: 0 })).provider_id).toBe(adams.id);
    await rows().provider.update({ where: key, data: { active: true } });
  });

  it('is held to the slots of their user where double booking is refused', async () => {
    const strict = await signedInUser(test, { organization: { doubleBooking: 'refuse' } });
    const { user } = await createUser(rows(), { organizationId: strict.organizationId, type: 'provider' });
    const provider = await createProvider(rows(), { organizationId: strict.organizationId, userId: user.id });
    const body = { provider_id: provider.id, appointment_date: '2031-03-04T09:30:00' };
    expect((await strict.post('/appointments/').send(body)).status).toBe(201);
    expect((await strict.post('/appointments/').send(body)).body.code).toBe('double_booked');
    const { uuid } = (await strict.post('/appointments/').send({ ...body, provider_id: null })).body.data;
    const second = await strict.post(`/appointments/${uuid}`).send({ provider_id: provider.id });
    expect(second.body).toMatchObject({ code: 'double_booked', errors: [{ pointer: '/provider_id' }] });
  });
});

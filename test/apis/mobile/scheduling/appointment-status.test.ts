import { describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createPatient, createUser } from '../../../support/factories.ts';

const test = await sharedTestApp();
const { prisma } = test.database;

const NINE = '2031-03-04T09:00:00';

async function clinic(doubleBooking: 'allow' | 'refuse' = 'allow') {
  const desk = await signedInUser(test, { type: 'staff', organization: { doubleBooking, timeZone: 'America/New_York' } });
  const { organizationId } = desk;
  const app = await integrationClient(test, { organizationId });
  const patient = (await createPatient(prisma, { organizationId, firstName: 'Ann' })).id;
  const doctor = (await createUser(prisma, { organizationId, type: 'provider' })).user.id;
  const book = async (more: object = {}): Promise<number> => {
    const answer = await desk
      .post('/appointments/')
      .send({ appointment_date: NINE, patient_id: patient, 'user[]': [doctor], duration_minutes: 30, ...more });
    expect(answer.status, answer.text).toBe(201);
    return answer.body.data.uuid;
  };
  const set = (id: number, status: string, more: object = {}) => desk.post(`/appointments/${id}/status`).send({ status, ...more });
  const done = async (id: number, ...statuses: string[]) => {
    for (const status of statuses) {
      const answer = await set(id, status);
      expect([answer.status, answer.body.data?.status], answer.text).toEqual([200, status]);
    }
  };
  const events = async (id: number) =>
    (await prisma.event.findMany({ where: { organizationId, subjectType: 'appointment', subjectId: id }, orderBy: { id: 'asc' } }))
      .map(({ name }) => name.slice('appointment.'.length))
      .filter((name) => name !== 'changed');
  /** Lets the last change of a status have been made so many hours ago. */
  const age = (id: number, hours: number) =>
    test.database.pool.query(
      `UPDATE appointment SET status_changes = jsonb_set(status_changes, '{-1,at}', to_jsonb(to_char(now() - make_interval(hours => $3), 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))
        WHERE organization_id = $1 AND id = $2`,
      [organizationId, id, hours],
    );
  return { desk, app, patient, doctor, book, set, done, events, age };
}

describe('a visit', () => {
  it('goes from scheduled to completed, and keeps who said so, when and why, at every door', async () => {
    const { desk, app, book, set, done, events } = await clinic();
    const id = await book();
    await done(id, 'arrived', 'roomed', 'in_progress', 'checked_out');
    await app.post(`/appointments/${id}/status`).send({ status: 'completed', reason: '  all  signed ' }).expect(200);
    const shown = (await desk.get(`/appointments/${id}`).expect(200)).body.data;
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const by = { by: 'user', user_id: desk.user.id, reason: null, at };
    const changes = [
      { from: 'scheduled', to: 'arrived', ...by },
      { from: 'arrived', to: 'roomed', ...by },
      { from: 'roomed', to: 'in_progress', ...by },
      { from: 'in_progress', to: 'checked_out', ...by },
      { from: 'checked_out', to: 'completed', by: 'client', user_id: expect.any(Number), reason: 'all signed', at },
    ];
    expect(shown).toMatchObject({ status: 'completed', status_changes: changes });
    expect((await app.get(`/appointments/${id}`).expect(200)).body.data).toMatchObject({ status: 'completed', status_changes: changes });
    expect((await desk.get('/appointments/all?min_appointment_date=2031-03-04').expect(200)).body.data).toMatchObject([
      { uuid: id, status_changes: changes },
    ]);
    expect(await events(id)).toEqual(['scheduled', 'arrived', 'roomed', 'in_progress', 'checked_out', 'completed']);
    const again = await set(id, 'completed').expect(200);
    expect(again.body.data.status_changes).toHaveLength(5);
  });

  it('may skip a state or go back while it is open, by an ordinary save too, and not from one end to another', async () => {
    const { desk, app, book, set, done } = await clinic();
    const id = await book();
    await done(id, 'in_progress', 'arrived', 'scheduled');
    expect((await app.put(`/appointments/${id}`).send({ status: 'roomed' }).expect(200)).body.data.status).toBe('roomed');
    expect((await desk.post(`/appointments/${id}`).send({ status: 'completed' }).expect(200)).body.data.status).toBe('completed');
    const refused = await set(id, 'no_show').expect(409);
    expect(refused.body).toMatchObject({ errors: [{ pointer: '/status', code: 'status_not_following' }] });
    expect(refused.body.detail).toContain('completed: from there it can become scheduled, arrived, roomed, in_progress, checked_out');
    await desk.delete(`/appointments/${id}`).expect(409);
    await desk.post(`/appointments/${id}`).send({ status: 'no_show' }).expect(409);
    await set(id, 'lost').expect(400);
    await set(999_999_999, 'arrived').expect(404);
  });

  it('is cancelled with a reason, which no door shows with a patient who may not be seen', async () => {
    const { desk, patient, book } = await clinic();
    const id = await book();
    await desk.delete(`/appointments/${id}?reason=moved%20away&notify=none`).expect(204);
    const back = await desk.post(`/appointments/${id}/status`).send({ status: 'scheduled' }).expect(200);
    expect(back.body.data.status_changes).toMatchObject([
      { from: 'scheduled', to: 'cancelled', by: 'user', reason: 'moved away' },
      { from: 'cancelled', to: 'scheduled', reason: null },
    ]);
    await prisma.privacyRestriction.create({ data: { organizationId: desk.organizationId, patientId: patient, kind: 'record' } });
    expect((await desk.get(`/appointments/${id}`).expect(200)).body.data).toMatchObject({
      patient: null,
      status_changes: [{ to: 'cancelled', reason: null }, { to: 'scheduled' }],
    });
  });
});

describe('a visit that ended', () => {
  it.each(['checked_out', 'completed', 'no_show', 'cancelled'])('as %s is restored within a day, and not after it', async (end) => {
    const { desk, app, book, set, done, events, age } = await clinic('refuse');
    const id = await book();
    await done(id, 'arrived', end);
    await age(id, 23);
    await app.post(`/appointments/${id}/status`).send({ status: 'arrived' }).expect(200);
    expect((await events(id)).at(-1)).toBe('restored');
    expect((await desk.get(`/appointments/${id}`).expect(200)).body.data.status).toBe('arrived');
    await done(id, end);
    await age(id, 25);
    expect((await set(id, 'arrived').expect(409)).body).toMatchObject({ errors: [{ pointer: '/status', code: 'restore_too_late' }] });
  });

  it.each(['allow', 'refuse'] as const)('is not restored where somebody has its time meanwhile, who is named (%s)', async (policy) => {
    const { desk, doctor, book, set, done } = await clinic(policy);
    const id = await book();
    await done(id, 'cancelled');
    const other = await book({ appointment_date: '2031-03-04T09:20:00', 'user[]': [doctor, desk.user.id] });
    const refused = await set(id, 'scheduled').expect(409);
    expect(refused.body).toMatchObject({ errors: [{ pointer: '/status', code: 'time_taken' }] });
    expect(refused.body.detail).toContain(`${other} has the time: from 2031-03-04T09:20:00 to 2031-03-04T09:50:00`);
    await desk.post(`/appointments/${other}`).send({ appointment_date: '2031-03-04T09:30:00' }).expect(200);
    await done(id, 'scheduled');
  });

  it('is restored beside another that it was booked over before, where the practice allows that', async () => {
    const { book, done } = await clinic('allow');
    const [id] = [await book(), await book()];
    await done(id, 'no_show', 'scheduled');
  });

  it('of a patient who has died is not to come again', async () => {
    const { desk, patient, book, set, done } = await clinic();
    const id = await book();
    await done(id, 'cancelled');
    await prisma.patient.updateMany({
      where: { organizationId: desk.organizationId, id: patient },
      data: { deceasedDate: new Date('2026-01-01') },
    });
    expect((await set(id, 'scheduled').expect(409)).body).toMatchObject({ errors: [{ code: 'patient_deceased' }] });
  });
});

it('has the length that a save says, and that of its type again', async () => {
  const { desk, book } = await clinic();
  const id = await book({ duration_minutes: '25' });
  const read = async () => (await desk.get(`/appointments/${id}`).expect(200)).body.data;
  expect(await read()).toMatchObject({ duration_minutes: 25, appointment_end: '2031-03-04T14:25:00Z' });
  await desk.post(`/appointments/${id}`).send({ duration_minutes: 50 }).expect(200);
  expect(await read()).toMatchObject({ duration_minutes: 50, appointment_end: '2031-03-04T14:50:00Z' });
  await desk.post(`/appointments/${id}`).send({ duration_minutes: null }).expect(200);
  expect((await read()).duration_minutes).not.toBe(50);
  await desk.post(`/appointments/${id}`).send({ duration_minutes: 0 }).expect(400);
});

import { describe, expect, it } from 'vitest';
import { integrationClient, practiceClient, signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createOffice, createPatient, createProvider, createUser } from '../../../support/factories.ts';

const test = await sharedTestApp();
const db = test.database.prisma;

async function clinic() {
  const admin = await signedInUser(test, { type: 'admin', organization: { timeZone: 'America/New_York' } });
  const own = { organizationId: admin.organizationId };
  const app = await integrationClient(test, own);
  const doctor = async () => {
    const { user } = await createUser(db, { ...own, type: 'provider' });
    return { user: user.id, id: (await createProvider(db, { ...own, userId: user.id })).id };
  };
  const [leaving, staying] = [await doctor(), await doctor()];
  const patient = (await createPatient(db, { ...own, email: 'ann@example.com' })).id;
  const book = async (provider: number, time: string, more: object = {}): Promise<number> => {
    const date = { appointment_date: `2031-03-04T${time}:00Z`, duration_minutes: 30 };
    const answer = await app.post('/appointments').send({ patient_id: patient, provider_id: provider, ...date, ...more });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data.uuid;
  };
  const reassign = (body: object, query = '') => admin.post(`/platform/v1/appointments/reassign${query}`).send(body);
  const readProvider = async (id: number) => (await app.get(`/appointments/${id}`).expect(200)).body.data;
  const listMessageKinds = async (appointmentId: number) =>
    (await db.visitMessage.findMany({ where: { ...own, appointmentId } })).map(({ kind }) => kind);
  return { admin, own, app, leaving, staying, book, reassign, readProvider, listMessageKinds };
}

describe('a doctor who leaves', () => {
  it('hands visits to another one, who takes part; what is in the way is named and stays', async () => {
    const { admin, leaving, staying, book, reassign, readProvider, listMessageKinds } = await clinic();
    const [free, blocked] = [await book(leaving.id, '09:00', { user: [leaving.user, admin.user.id] }), await book(leaving.id, '10:00')];
    const other = await book(staying.id, '10:15');
    const body = { from_provider_id: leaving.id, to_provider_id: staying.id };
    const conflicts = [{ uuid: blocked, code: 'time_taken', detail: expect.stringContaining(`Appointment ${other} has the time`) }];
    const trial = await reassign(body, '?dry_run=true').expect(200);
    expect(trial.body.data).toEqual({ dry_run: true, moved: [free], conflicts, left: 0 });
    expect((await readProvider(free)).provider_id).toBe(leaving.id);
    expect(await listMessageKinds(free)).toEqual([]);
    expect((await reassign({ ...body, notify: 'email' }).expect(200)).body.data).toEqual({
      dry_run: false,
      moved: [free],
      conflicts,
      left: 0,
    });
    expect(await listMessageKinds(free)).toEqual(['moved']);
    expect(await readProvider(free)).toMatchObject({
      provider_id: staying.id,
      user: [String(admin.user.id), String(staying.user)].sort((a, b) => Number(a) - Number(b)),
    });
    expect((await readProvider(blocked)).provider_id).toBe(leaving.id);
    expect((await reassign({ ...body, from: '2031-03-04T11:00:00Z' }).expect(200)).body.data).toMatchObject({ moved: [], conflicts: [] });
  });

  it('is shut out only after the visits are counted, and is then listed and booked no more', async () => {
    const { admin, own, app, leaving, staying, book } = await clinic();
    const system = await practiceClient(test, own);
    await book(leaving.id, '09:00');
    await book(leaving.id, '10:00');
    const path = `/platform/v1/users/${leaving.user}/deactivate`;
    const refused = await admin.post(path).expect(409);
    expect(refused.body).toMatchObject({ code: 'visits_to_come', detail: expect.stringContaining('Upcoming visits: 2.') });
    await admin.post(`${path}?despite_visits=true`).expect(200);
    const listed = async () =>
      (await system.get('/providers').expect(200)).body.providers.map((one: { providerid: number }) => Number(one.providerid));
    expect(await listed()).toEqual([staying.id]);
    expect((await app.post('/appointments').send({ provider_id: leaving.id }).expect(400)).body.message).toContain('not active');
    await admin.post(`/platform/v1/users/${leaving.user}/activate`).expect(200);
    expect((await listed()).sort()).toEqual([leaving.id, staying.id].sort());
  });

  it('takes leave over booked times only where that is said, by the clock of the practice', async () => {
    const { admin, leaving, staying, book } = await clinic();
    await book(leaving.id, '14:00');
    await book(staying.id, '15:00');
    const leave = (from: string, query = '') =>
      admin
        .post(`/availability/exceptions${query}`)
        .send({ provider_id: leaving.id, from: `2031-03-04T${from}`, until: '2031-03-04T10:30' });
    await leave('09:30').expect(201);
    const refused = await leave('09:15').expect(409);
    expect(refused.body).toMatchObject({ code: 'visits_to_come', detail: expect.stringContaining('Upcoming visits: 1.') });
    const { uuid } = (await leave('09:00', '?despite_visits=true').expect(201)).body.data;
    await admin.put(`/availability/exceptions/${uuid}`).send({ until: '2031-03-04T11:00' }).expect(409);
    await admin.put(`/availability/exceptions/${uuid}`).send({ reason: 'Away' }).expect(200);
    await admin.put(`/availability/exceptions/${uuid}`).send({ until: '2031-03-04T09:00', from: '2031-03-04T08:00' }).expect(200);
  });
});

it('moves the visits of an office that closes to another one, and refuses half of a request', async () => {
  const { own, leaving, book, reassign, readProvider } = await clinic();
  const [north, south] = [await createOffice(db, own), await createOffice(db, own)];
  const [here, there] = [
    await book(leaving.id, '09:00', { office_id: north.id }),
    await book(leaving.id, '09:00', { office_id: south.id }),
  ];
  const answer = await reassign({ from_office_id: north.id, to_office_id: south.id }).expect(200);
  expect(answer.body.data).toMatchObject({ moved: [here], conflicts: [] });
  expect(await readProvider(here)).toMatchObject({ office_id: south.id, provider_id: leaving.id });
  expect((await readProvider(there)).office_id).toBe(south.id);
  const errors = async (body: object) => (await reassign(body).expect(400)).body.errors.map(({ pointer }: { pointer: string }) => pointer);
  expect(await errors({})).toEqual(['/from_provider_id']);
  expect(await errors({ from_provider_id: leaving.id })).toEqual(['/to_provider_id']);
  expect(await errors({ from_office_id: north.id, to_provider_id: leaving.id })).toEqual(['/to_office_id']);
});

import { expect, it } from 'vitest';
import { integrationClient, practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice, createPatient, createProvider } from '../../support/factories.ts';

const test = await sharedTestApp();
const app = await integrationClient(test);
const own = { organizationId: app.organizationId };
const db = test.database.prisma;
const system = await practiceClient(test, own);

const closed = (await createOffice(db, { ...own, name: 'Closed', active: false })).id;
const [first, home, primary] = [
  (await createOffice(db, { ...own, name: 'First' })).id,
  (await createOffice(db, { ...own, name: 'Home', timeZone: 'America/Denver' })).id,
  (await createOffice(db, { ...own, name: 'Primary' })).id,
];
const atHome = (await createProvider(db, { ...own, homeOfficeId: home })).id;
const nowhere = (await createProvider(db, { ...own, homeOfficeId: closed })).id;
const patient = (await createPatient(db, { ...own, primaryOfficeId: primary })).id;

async function book(fields: object) {
  const answer = await app.post('/appointments').send({ appointment_date: '2031-03-04T09:30:00', ...fields });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

it.each([
  ['its own', { office_id: primary, provider_id: atHome }, primary],
  ['the home of its provider', { provider_id: atHome, patient_id: patient }, home],
  ['the patient’s primary one', { patient_id: patient }, primary],
  ['the patient’s, where the provider’s is closed', { provider_id: nowhere, patient_id: patient }, primary],
  ['the first that is open', {}, first],
  ['the first, where all of these are cleared', { office_id: null, provider_id: null, patient_id: null }, first],
])('an appointment has %s', async (_, fields, office) => {
  expect((await book(fields)).office_id).toBe(office);
});

it('is found by practice systems that name the department, and booked over by none', async () => {
  const { uuid, appointment_timezone } = await book({ provider_id: atHome, patient_id: patient });
  const range = 'startdate=03/04/2031&enddate=03/04/2031&limit=10000';
  for (const path of ['/appointments/booked', '/appointments/booked/multipledepartment']) {
    const ids = async (department: number) =>
      (await system.get(`${path}?${range}&departmentid=${department}`).expect(200)).body.appointments.map(
        ({ appointmentid }: { appointmentid: string }) => Number(appointmentid),
      );
    expect([(await ids(home)).includes(uuid), (await ids(first)).includes(uuid)]).toEqual([true, false]);
  }
  expect((await system.get(`/appointments/${uuid}`)).body[0].departmentid).toBe(String(home));
  expect(appointment_timezone, 'only an office that was named decides the clocks').toBe('America/New_York');
});

it('finds an office again where it is cleared, and keeps the one that it has otherwise', async () => {
  const { uuid } = await book({ office_id: primary });
  const change = async (fields: object) => (await app.put(`/appointments/${uuid}`).send(fields).expect(200)).body.data.office_id;
  expect(await change({ provider_id: atHome })).toBe(primary);
  expect(await change({ office_id: null })).toBe(home);
});

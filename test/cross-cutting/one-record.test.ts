import { describe, expect, it } from 'vitest';
import { dayAt, writeDay } from '../../src/domain/values/time/time.ts';
import { integrationClient, practiceClient, signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createAppointmentType, createOffice } from '../support/factories.ts';

const test = await sharedTestApp();
const app = await integrationClient(test, { organization: { matchOnRegistration: true } });
const { organizationId } = app;
const [practice, staff] = [await practiceClient(test, { organizationId }), await signedInUser(test, { organizationId })];

const register = (form: object) => practice.post('/patients').type('form').send(form);

/** Ids that each search finds: practice API, mobile patients, contacts and monitoring. */
async function found(query: string, words: string) {
  const [practices, mobile, contacts, monitored] = await Promise.all([
    practice.get(`/patients?${query}`),
    staff.get(`/patients?${query}`),
    staff.get(`/contacts?search=${encodeURIComponent(words)}`),
    staff.get(`/remote-patient-monitoring/patients?keyword=${encodeURIComponent(words)}`),
  ]);
  return {
    practice: practices.body.patients.map(({ patientid }: { patientid: string }) => Number(patientid)),
    mobile: mobile.body.data.map(({ uuid }: { uuid: number }) => uuid),
    contacts: contacts.body.data.map(({ uuid }: { uuid: number }) => uuid),
    monitored: monitored.body.data.map(({ uuid }: { uuid: number }) => uuid),
  };
}

describe('a text', () => {
  it('is stored in one form by every dialect, and found by a query with blanks around it', async () => {
    const fromApp = await app
      .post('/patients')
      .send({ firstname: ' Leading', lastname: 'Anders\u00a0\u00a0Blank\u200b', flags: [' RPM '] });
    const fromForm = await register({ firstname: 'Trailing\u3000', lastname: ' Anders\tBlank ' });
    const ids = [fromApp.body.data.uuid, fromForm.body[0].patientid];
    expect(fromApp.body.data).toMatchObject({ firstname: 'Leading', lastname: 'Anders Blank' });
    for (const query of ['lastname=anders%20', 'lastname=%C2%A0anders%20%20blank%20', 'lastname=blank%20&firstname=']) {
      expect(await found(query, ' anders  blank ')).toMatchObject({ practice: ids, mobile: ids, contacts: ids, monitored: [ids[0]] });
    }
    expect((await practice.get('/patients?firstname=leading')).body.totalcount).toBe(1);
  });

  it('makes one patient of two forms that differ in blanks', async () => {
    const form = { firstname: 'Nora', lastname: "O'Hara", dob: '02/03/1980', zip: '27601' };
    const first = await register(form);
    const second = await register({ ...form, firstname: 'Nora\u00a0', lastname: "O'Hara " });
    expect([first.headers.registration, second.headers.registration]).toEqual(['created', 'matched']);
    expect(second.body).toEqual(first.body);
  });
});

it('an appointment takes a value in one field and null in another of the same meaning as the value', async () => {
  const { id: typeId } = await createAppointmentType(test.database.prisma, { organizationId });
  const { id: officeId } = await createOffice(test.database.prisma, { organizationId });
  const { uuid: patient } = (await app.post('/patients').send({ lastname: 'Booked' })).body.data;
  const sent = {
    appointment_date: '2027-03-01T09:00:00',
    patient_id: patient,
    appointment_type_id: null,
    type: typeId,
    office_id: officeId,
    office: null,
  };
  const { status, body, text } = await staff.post('/appointments/').send(sent);
  expect(status, text).toBe(201);
  expect([body.data.appointment_type_id, body.data.office_id]).toEqual([typeId, officeId]);
});

describe('a chart', () => {
  const tomorrow = () => writeDay(new Date(dayAt(new Date(), 'Pacific/Kiritimati').getTime() + 86_400_000)) ?? '';
  const usDay = (day: string) => `${day.slice(5, 7)}/${day.slice(8)}/${day.slice(0, 4)}`;

  it('has the state in two letters, however a dialect was told', async () => {
    const fromApp = await app.post('/patients').send({ lastname: 'Empire', state: 'New York', zip: '100011234' });
    const fromForm = await register({ lastname: 'Empire', state: 'new york', zip: '10001' });
    expect(fromApp.body.data.address).toMatchObject({ state: 'NY', zip: '10001-1234' });
    for (const id of [fromApp.body.data.uuid, fromForm.body[0].patientid]) {
      expect((await practice.get(`/patients/${id}`)).body[0].state).toBe('NY');
      expect((await staff.get(`/patients/${id}`)).body.data.address.state).toBe('NY');
    }
  });

  it.each([
    ['state', { state: 'Ontario' }, {}],
    ['zip', { zip: 'ABCDE' }, {}],
    ['city', { city: 'x'.repeat(31) }, {}],
    ['email', { email: 'nobody@example' }, {}],
    ['dob', { dob: tomorrow() }, { dob: usDay(tomorrow()) }],
    ['dob', { dob: '1849-12-31' }, { dob: '12/31/1849' }],
  ])('takes no wrong %s from any dialect: %j', async (field, wrong, inForm) => {
    const { uuid } = (await app.post('/patients').send({ lastname: 'Lee' })).body.data;
    for (const answer of [await app.post('/patients').send(wrong), await app.put(`/patients/${uuid}`).send(wrong)]) {
      expect(answer.status, answer.text).toBe(400);
      expect(answer.body.message).toMatch(new RegExp(`^${field}: `));
    }
    const form = await register({ ...wrong, ...inForm });
    expect(form.status, form.text).toBe(400);
    expect(form.body.invalidfields).toEqual([field]);
  });

  it('is of nobody who is born after today in the zone of the practice', async () => {
    for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      const there = await integrationClient(test, { organization: { timeZone } });
      const { uuid } = (await there.post('/patients').send({ lastname: 'Newborn' })).body.data;
      const today = dayAt(new Date(), timeZone);
      const dayAfter = (days: number) => ({ dob: writeDay(new Date(today.getTime() + days * 86_400_000)) });
      // Yesterday, so that midnight may come while this runs.
      const sent = [
        await there.post('/patients').send(dayAfter(-1)),
        await there.put(`/patients/${uuid}`).send(dayAfter(-1)),
        await there.post('/patients').send(dayAfter(2)),
        await there.put(`/patients/${uuid}`).send(dayAfter(2)),
      ];
      expect(sent.map(({ status }) => status)).toEqual([200, 200, 400, 400]);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createAppointmentType, createLocation, createOffice, createPatient, createUser } from '../support/factories.ts';

const test = await sharedTestApp();
const { prisma } = test.database;
const admin = await signedInUser(test, { type: 'admin' });
const { organizationId } = admin;
const app = await integrationClient(test, { organizationId });

const pointers = ({ body }: { body: { errors?: { pointer: string }[] } }) => body.errors?.map(({ pointer }) => pointer.slice(1)) ?? [];

describe('two fields with one meaning', async () => {
  const [type, office, location, user, other] = await Promise.all([
    createAppointmentType(prisma, { organizationId }),
    createOffice(prisma, { organizationId }),
    createLocation(prisma, { organizationId }),
    createUser(prisma, { organizationId }),
    createUser(prisma, { organizationId }),
  ]);
  const PAIRS = [
    ['appointment_type_id', 'type', type.id, type.id + 1, 'appointment_type_id'],
    ['office_id', 'office', office.id, office.id + 1, 'office_id'],
    ['location_id', 'location', location.id, location.id + 1, 'location_id'],
    ['user[]', 'user', [user.user.id], [other.user.id], 'users'],
  ] as const;
  const toExpected = (value: unknown) => (Array.isArray(value) ? value.map((uuid) => expect.objectContaining({ uuid })) : value);

  it.each(PAIRS)('of an appointment, %s and %s: null or empty beside a value is as if not sent', async (one, two, value, another, as) => {
    const stored = (await admin.post('/appointments/').send({})).body.data.uuid;
    for (const empty of [null, '', ...(Array.isArray(value) ? [[]] : [])]) {
      for (const body of [
        { [one]: empty, [two]: value },
        { [one]: value, [two]: empty },
      ]) {
        for (const path of ['/appointments/', `/appointments/${stored}`]) {
          const answer = await admin.post(path).send(body);
          expect(answer.body.data?.[as], `${path} ${JSON.stringify(body)} ${answer.text}`).toEqual(toExpected(value));
        }
      }
    }
    const cleared = await admin.post(`/appointments/${stored}`).send({ [one]: null, [two]: null });
    // Without an office, an appointment has the practice's first.
    expect(cleared.body.data[as]).toEqual(Array.isArray(value) ? [] : one === 'office_id' ? office.id : null);
    const differ = await admin.post('/appointments/').send({ [one]: value, [two]: another, show_on_tasks: 7, location_id: 1.5 });
    expect([differ.status, new Set(pointers(differ))]).toEqual([
      400,
      new Set(one === 'location_id' ? ['location_id', 'show_on_tasks'] : [one, two, 'show_on_tasks', 'location_id']),
    ]);
  });

  it('of a patient: null or empty beside a value is as if not sent', async () => {
    const { id } = await createPatient(prisma, { organizationId });
    for (const empty of [null, '']) {
      for (const body of [
        {
          fname: 'Ada',
          firstname: empty,
          lname: empty,
          lastname: 'Quinn',
          address: { city: 'Apex', state: empty },
          city: empty,
          state: 'NC',
        },
        {
          fname: empty,
          firstname: 'Ada',
          lname: 'Quinn',
          lastname: empty,
          address: { city: empty, state: 'NC' },
          city: 'Apex',
          state: empty,
        },
      ]) {
        for (const answer of [await app.post('/patients').send(body), await app.put(`/patients/${id}`).send(body)])
          expect(answer.body.data, answer.text).toMatchObject({
            firstname: 'Ada',
            lastname: 'Quinn',
            address: { city: 'Apex', state: 'NC' },
          });
      }
    }
  });

  it('of a condition: null beside a code is as if not sent, and two codes that differ are both named, beside the rest', async () => {
    const path = '/remote-patient-monitoring/tracked-conditions';
    const { id } = await createPatient(prisma, { organizationId });
    for (const codes of [
      { icd_code: 'E11.9', icd_lex_code: null },
      { icd_code: '', icd_lex_code: 'E11.9' },
    ]) {
      const answer = await admin.post(path).send({ patient_uuid: id, ...codes });
      expect(answer.body.data, answer.text).toMatchObject({ icd_code: 'E11.9' });
      await admin.delete(`${path}/${answer.body.data.uuid}`);
    }
    const differ = await admin.post(path).send({ patient_uuid: 1.5, icd_code: 'E11.9', icd_lex_code: 'I10' });
    expect([differ.status, pointers(differ).toSorted()]).toEqual([400, ['icd_code', 'icd_lex_code', 'patient_uuid']]);
  });

  it.each([
    ['/contacts', 'search', 'keyword', 'a', 'b'],
    ['/video-session/search', 'search', 'keyword', 'a', 'b'],
    ['/patients', 'office', 'departmentid', '1', '2'],
  ])('of the query of %s: %s and %s are named where they differ, beside the rest', async (path, one, two, first, second) => {
    const differ = await admin.get(path).query({ [one]: first, [two]: second, page: 'x' });
    expect([differ.status, pointers(differ).toSorted()], differ.text).toEqual([400, [one, two, 'page'].toSorted()]);
    await admin
      .get(path)
      .query({ [one]: first, [two]: '' })
      .expect(200);
    await admin
      .get(path)
      .query({ [one]: first, [two]: first })
      .expect(200);
  });
});

describe('a wrong field', () => {
  const WRONG = { appointment_date: 'nonsense', appointment_timezone: 'Mars', patient_id: 'abc' };

  it.each([1.5, 'x', 0, {}, [], true])('hides no other one of an appointment, also where a place is %j', async (place) => {
    const body = { ...WRONG, location_id: place };
    expect(new Set(pointers(await admin.post('/appointments/').send(body)))).toEqual(new Set(Object.keys(body)));
    for (const answer of [await app.post('/appointments').send(body), await app.put('/appointments/me').send(body)])
      for (const field of Object.keys(body)) expect(answer.body.message).toContain(`${field}: `);
  });

  it('in a path hides none of the body', async () => {
    const answer = await app.put('/appointments/me').send({ appointment_date: 'nonsense', appointment_timezone: 'Mars' });
    expect(answer.body.message).toMatch(/uuid: .*appointment_date: .*appointment_timezone: /);
  });

  it.each([
    ['/external-messages', { sent_to: 'nobody', message: '', extra_auth: 7, expires: '2026-02-30' }],
    ['/remote-patient-monitoring/checkin-reviews', { checkin_uuid: 1.5, minutes: 1.5, started_at: '2026-02-30T09:00' }],
    ['/checkin/send', { recipient_id: 1.5, survey_type_id: 1.5, sms_email: 'nobody', message: '{{nothing}}' }],
    ['/sms-message-template', { name: 7, category: '', body: '{{nothing}}' }],
  ])('hides no text that the domain reads: %s', async (path, body) => {
    const answer = await admin.post(path).send(body);
    expect([answer.status, pointers(answer).toSorted()], answer.text).toEqual([400, Object.keys(body).toSorted()]);
  });
});

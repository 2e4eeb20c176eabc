import { expect, it } from 'vitest';
import { integrationClient, practiceClient, signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';

const test = await sharedTestApp();
const admin = await signedInUser(test, { type: 'admin' });
const app = await integrationClient(test, { organizationId: admin.organizationId });
/** An id that nothing has. */
const NOBODYS = 2_000_000_000;
const RPM = '/remote-patient-monitoring';

it.each([
  ['/user-appointments/', { user_id: NOBODYS, appointment_id: NOBODYS }, 404],
  [
    `${RPM}/tracked-conditions`,
    { patient_uuid: NOBODYS, provider_uuid: NOBODYS, user_uuid: NOBODYS, icd_code: 'I10', items: [NOBODYS, NOBODYS] },
    400,
  ],
  [`${RPM}/tracked-conditions`, { patient_uuid: NOBODYS, icd_code: 'I10', items: [NOBODYS] }, 404],
  [`${RPM}/checkin-reviews`, { checkin_uuid: NOBODYS, user_uuid: NOBODYS, minutes: 5, started_at: '2026-02-30T09:00:00' }, 400],
  [`${RPM}/programs/events`, { program_uuid: NOBODYS, patient_uuid: NOBODYS, step_uuid: NOBODYS }, 404],
  [`${RPM}/programs/add-patient`, { program_uuid: NOBODYS, patient_uuid: NOBODYS }, 404],
  ['/checkin/send', { recipient_id: NOBODYS, survey_type_id: NOBODYS, message: '{{nothing}}', sms_email: 'sms' }, 400],
  ['/external-messages', { message: 'Hello', sent_to: 'nobody', attachments: [NOBODYS], expires: '2020-01-01' }, 400],
])('the mobile API names all wrong fields at once: POST %s %j', async (path, body, status) => {
  const answer = await admin.post(path).send(body);
  expect(answer.body).toMatchObject({ status, errors: expect.any(Array) });
  const named = new Set(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer.split('/')[1]));
  const right = new Set(path === '/checkin/send' ? ['sms_email'] : ['icd_code', 'minutes', 'message']);
  expect(named).toEqual(new Set(Object.keys(body).filter((field) => !right.has(field))));
});

it('the mobile API names both bounds of a range, and a wrong page beside a wrong filter', async () => {
  const range = await admin.get('/appointments/all?min_appointment_date=never&max_appointment_date=2031-02-30');
  expect(range.body).toMatchObject({ status: 400, errors: [{ pointer: '/min_appointment_date' }, { pointer: '/max_appointment_date' }] });
  const query = await admin.get('/appointments/patient/me?limit=0&office=x');
  expect(query.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/uuid', '/office', '/limit']);
});

it.each([
  ['/appointments/all', 'min_appointment_date=2027-02-30&type=x'],
  ['/appointments/percentage', 'min_appointment_date=2027-02-03T09:00:00Z&office=x'],
  ['/user-appointments/search', 'max_appointment_date=2027-02-30&type=x'],
  ['/sms-messages', 'min_date=04/14/2027&patient=x&limit=0'],
  [`${RPM}/ledger`, 'month=never&page=0'],
  ['/sms-messages/report', 'min_date=never&max_date=2027-04-31'],
  ['/incomming-call-log', 'startTimeAfter=never&startTimeBefore=2027-02-30&page=0'],
  ['/video-session/search', 'min-date=2027-02-30&user_id=x'],
  ['/voice-pager-number-messages/Search', 'start_date=2027-02-30&end_date=never&page=0'],
  [`${RPM}/checkin-reviews`, 'start_date=2027-02-30&limit=0'],
  [`${RPM}/checkins/patients/me`, 'start_date=2027-02-30'],
])('a list names wrong bounds beside all else that is wrong: GET %s?%s', async (path, query) => {
  const answer = await admin.get(`${path}?${query}`);
  expect(answer.status, answer.text).toBe(400);
  const named = new Set(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer.split('/')[1]));
  const inPath = path.endsWith('/me') ? ['patient_uuid'] : [];
  expect(named).toEqual(new Set([...inPath, ...query.split('&').map((one) => one.split('=')[0])]));
});

it('a bound and a parameter that was sent twice are refused in words that help', async () => {
  const answer = await app.get('/appointments?from=04/14/2027&to=bad&patient_id=x&limit=5&limit=6');
  expect(answer.status).toBe(400);
  for (const words of [
    'from: must be a day such as 2027-04-14, or a date and time such as 2027-04-14T09:30:00',
    'to: must be a day',
    'patient_id: must be an integer',
    'limit: was sent more than once',
  ])
    expect(answer.body.message).toContain(words);
  const system = await practiceClient(test, { organizationId: admin.organizationId });
  const form = await system.post('/patients').type('form').send('firstname=Ada&firstname=Ida&sex=F&zip=x');
  expect(form.body).toMatchObject({ invalidfields: expect.arrayContaining(['firstname', 'zip']) });
  expect(form.text).toContain('firstname: was sent more than once');
  const twice = await admin.get('/appointments/all?office=x&office=x');
  expect(twice.body.errors).toMatchObject([{ pointer: '/office', code: 'sent_twice' }]);
});

it('the integration API names all wrong fields at once', async () => {
  const appointment = await app.post('/appointments').send({ appointment_date: 'tomorrow', patient_id: NOBODYS, office_id: NOBODYS });
  expect([appointment.status, appointment.body.message]).toEqual([
    400,
    expect.stringMatching(/patient_id: .*; office_id: .*; appointment_date: /),
  ]);
  const patient = await app.post('/patients').send({ provider: NOBODYS, location: NOBODYS, fname: 'Ada', lname: 'Quinn' });
  expect([patient.status, patient.body.message]).toEqual([404, expect.stringMatching(/provider: .*; location: /)]);
  const malformed = await app.post('/patients').send({ provider: NOBODYS, lname: 'Quinn', zip: 'A', dob: '1981-02-29' });
  expect([malformed.status, malformed.body.message]).toEqual([400, expect.stringMatching(/^(?!.*provider).*(zip: .*dob: |dob: .*zip: )/)]);
  const path = await app.put('/patients/me').send({ email: 'x', dob: '1981-02-29' });
  for (const words of ['uuid: ', 'email: ', 'dob: is a day that does not exist']) expect(path.body.message).toContain(words);
});

it('the integration API takes user[] for user, and names the one that was sent', async () => {
  const { id } = admin.user;
  const { uuid } = (
    await app
      .post('/appointments')
      .send({ 'user[]': [id] })
      .expect(200)
  ).body.data;
  const kept = await app.put(`/appointments/${uuid}`).send({ user: [id], 'user[]': null });
  expect(kept.body.data).toMatchObject({ user: [String(id)] });
  expect(kept.headers['warning-fields']).toBeUndefined();
  expect((await app.post('/appointments').send({ 'user[]': [NOBODYS] })).body.message).toBe('user[].0: There is no such user.');
  const both = await app.post('/appointments').send({ user: [id], 'user[]': [NOBODYS] });
  expect([both.status, both.body.message]).toEqual([400, expect.stringMatching(/user: .*user\[\]: /)]);
});

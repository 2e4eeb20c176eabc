import { expect, it } from 'vitest';
import { actorWith } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createAppointmentType, createOffice, createOrganization, createPatient, createUser } from '../../../support/factories.ts';

const test = await sharedTestApp();

/** `2026-11-21`, on the clocks of New York. */
const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(new Date());

it('a phone walks through its day: signs in, sees today, confirms one, moves one across a clock change, signs out', async () => {
  const rows = test.database.prisma;
  const { id: organizationId } = await createOrganization(rows, { name: 'Riverside', timeZone: 'America/New_York' });
  const { user, email, password } = await createUser(rows, { organizationId, type: 'provider', firstName: 'Ada', lastName: 'Quinn' });
  const { id: office_id } = await createOffice(rows, { organizationId, name: 'Main office' });
  const { id: appointment_type_id } = await createAppointmentType(rows, { organizationId, name: 'Follow-up' });
  const { id: patient_id } = await createPatient(rows, {
    organizationId,
    firstName: 'Zoë',
    lastName: 'Núñez',
    mobilePhone: '+19105550123',
  });

  const signedIn = await test.http.post('/login').send({ email, password });
  expect(signedIn.status, signedIn.text).toBe(200);
  const { access_token, refresh_token } = signedIn.body.data;
  const phone = actorWith(test, access_token, organizationId);

  const me = (await phone.get('/client')).body.data;
  expect(me).toMatchObject({ uuid: user.id, first_name: 'Ada', user_type: 'provider', organization: { name: 'Riverside' } });
  expect(me.organization.timezone).toBe('America/New_York');

  const book = async (appointment_date: string) => {
    const body = { appointment_type_id, patient_id, office_id, appointment_date, 'user[]': [user.id] };
    const answer = await phone.post('/appointments/').send(body);
    expect(answer.status, answer.text).toBe(201);
    return Number(answer.body.data.uuid);
  };
  const [morning, noon] = [await book(`${today}T09:30:00`), await book(`${today}T12:00:00`)];
  await book('2031-03-05T09:30:00');

  const list = await phone.get(`/appointments?min_appointment_date=${today}&max_appointment_date=${today}`);
  expect(list.body.data.map(({ uuid }: { uuid: number }) => uuid)).toEqual([morning, noon]);
  expect(list.body.data[0]).toMatchObject({
    appointment_date_local: `${today}T09:30:00`,
    patient: { firstname: 'Zoë', lastname: 'Núñez', phone_no: '9105550123' },
    type: { name: 'Follow-up' },
    office: { name: 'Main office' },
    users: [{ uuid: user.id, firstname: 'Ada' }],
    confirmation: { status: 'Pending' },
  });

  const confirmed = await phone.post(`/appointments/${morning}`).send({ confirmation: 'Yes' });
  expect(confirmed.body.data.confirmation).toMatchObject({ status: 'Yes', by: 'user' });
  expect((await phone.get('/appointments/status')).body.data).toMatchObject([{ uuid: morning }]);
  const figures = await phone.get(`/appointments/percentage?min_appointment_date=${today}&max_appointment_date=${today}`);
  expect(figures.body.data).toMatchObject({ percentage: 50, confirmed: 1, total: 2 });

  // The clocks of New York are put forward in the night of 9 March 2031: the wall clock stays, the instant is an hour earlier.
  const move = (appointment_date: string) => phone.post(`/appointments/${noon}`).send({ appointment_date });
  expect((await move('2031-03-07T09:30:00')).body.data.appointment_date).toBe('2031-03-07T14:30:00Z');
  const moved = (await move('2031-03-10T09:30:00')).body.data;
  expect([moved.appointment_date, moved.appointment_date_local]).toEqual(['2031-03-10T13:30:00Z', '2031-03-10T09:30:00']);
  const skipped = await move('2031-03-09T02:30:00');
  expect([skipped.status, skipped.body.errors[0].pointer]).toEqual([400, '/appointment_date']);
  expect((await phone.get(`/appointments/${noon}`)).body.data).toMatchObject({ appointment_date: '2031-03-10T13:30:00Z' });

  expect((await phone.post('/logout')).status).toBe(204);
  const refused = await phone.get('/appointments');
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer realm="triptych", error="invalid_token"']);
  expect((await test.http.post('/refresh').send({ token: refresh_token })).status).toBe(401);
});

import { describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createUser } from '../../../support/factories.ts';
import { appointmentReferences } from '../../../support/schedule.ts';
import { appointmentCalls } from './appointment-calls.ts';

const test = await sharedTestApp();
const phone = await signedInUser(test);

const rows = () => test.database.prisma;
const own = () => ({ organizationId: phone.organizationId });

const { create, save } = appointmentCalls(phone);

const references = () => appointmentReferences(rows(), phone.organizationId);

describe('an appointment', () => {
  it('carries all that a screen shows: patient, type, office, location, waiting room, users and confirmation', async () => {
    const { office, room, patient, type, location } = await references();
    const { user } = await createUser(rows(), { ...own(), type: 'provider', firstName: 'Ula', lastName: 'Doe', phone: '+19105550199' });
    const created = await create({
      appointment_type_id: String(type.id),
      patient_id: patient.id,
      office_id: office.id,
      location_id: location.id,
      waiting_room_id: room.id,
      appointment_date: '2031-03-04T09:30:00',
      'user[]': [user.id, phone.user.id],
    });
    expect(created).toEqual({
      uuid: expect.any(Number),
      appointment_date: '2031-03-04T16:30:00Z',
      appointment_date_local: '2031-03-04T09:30:00',
      appointment_timezone: 'America/Denver',
      appointment_end: '2031-03-04T17:15:00Z',
      duration_minutes: 45,
      status: 'scheduled',
      status_changes: [],
      confirmation: { status: 'Pending', at: null, by: null },
      show_on_tasks: true,
      series_id: null,
      initial_sms_sent: null,
      appointment_type_id: type.id,
      patient_id: patient.id,
      office_id: office.id,
      location_id: location.id,
      waiting_room_id: room.id,
      provider_id: null,
      patient_restricted: false,
      can_text: { ok: false, reason: expect.stringMatching(/^no_/), until: null },
      type: {
        uuid: type.id,
        name: 'Physical',
        description: null,
        duration_minutes: 45,
        active: 1,
        is_global: 0,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
      patient: {
        uuid: patient.id,
        status: 'active',
        firstname: 'Ann',
        lastname: 'Ames',
        address: { address: null, address2: null, city: null, state: null, zip: null },
        email: 'ann@example.com',
        phone_no: '9105550123',
        dob: '1980-02-29',
        admit_date: null,
        gender: null,
        med_rec_no: null,
        census: null,
        provider: null,
        location: null,
        flags: ['fall risk'],
        do_not_sms: false,
      },
      office: {
        uuid: office.id,
        name: 'North',
        patient_department_name: null,
        address: { address: null, address2: null, city: 'Boulder', state: null, zip: null },
        phone: '3035550123',
        fax: null,
        timezone: 'America/Denver',
        active: true,
      },
      location: {
        uuid: location.id,
        name: 'Room 2',
        phone: null,
        address: { address: null, address2: null, city: null, state: null, zip: null },
      },
      waiting_room: { uuid: room.id, name: 'Lobby', user_id: null },
      users: [phone.user, user]
        .sort((a, b) => a.id - b.id)
        .map(({ id, firstName, lastName, type: user_type, phone: number }) => ({
          uuid: id,
          firstname: firstName,
          lastname: lastName,
          email: null,
          phone: number && '9105550199',
          user_type,
          active: true,
        })),
      created_by: phone.user.id,
      created_by_first_name: phone.user.firstName,
      created_by_last_name: phone.user.lastName,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    const list = await phone.get('/appointments?min_appointment_date=2031-03-04');
    expect(list.body.data).toEqual([created]);
  });

  it('is the same record, with the same tag, whether it is created, saved or read', async () => {
    const { office, patient, type, location } = await references();
    const fields = {
      appointment_date: '2031-03-05T09:30:00Z',
      patient_id: patient.id,
      type: type.id,
      office: office.id,
      location: location.id,
    };
    const created = await phone.post('/appointments/').send({ ...fields, user: [phone.user.id] });
    const path = `/appointments/${created.body.data.uuid}`;
    const saved = await phone.post(path).send(fields);
    const read = await phone.get(path);
    expect({ ...read.body, warnings: [] }).toEqual(created.body);
    expect([saved.headers.etag, read.headers.etag]).toEqual([created.headers.etag, created.headers.etag]);
    const again = await phone.get(path).set('if-none-match', String(created.headers.etag));
    expect(again.status).toBe(304);
  });

  it('needs no field at all, and no body but an empty one', async () => {
    expect(await create()).toMatchObject({
      appointment_date: null,
      appointment_date_local: null,
      appointment_end: null,
      appointment_timezone: 'America/New_York',
      duration_minutes: 30,
      patient: null,
      type: null,
      users: [],
    });
  });

  it('shows nothing of a patient whose chart was deleted, not even the id', async () => {
    const { patient } = await references();
    const { uuid } = await create({ patient_id: patient.id, appointment_date: '2031-03-06T09:00:00Z', user: [phone.user.id] });
    await rows().patient.update({ where: { organizationId_id: { ...own(), id: patient.id } }, data: { status: 'deleted' } });
    const read = await phone.get(`/appointments/${uuid}`);
    expect(read.body.data).toMatchObject({ patient: null, patient_id: null });
    expect(await save(uuid, {})).toEqual(read.body.data);
    const list = await phone.get('/appointments?min_appointment_date=2031-03-06&max_appointment_date=2031-03-06');
    expect(list.body.data).toEqual([read.body.data]);
  });

  it('is the one that the integration API shows', async () => {
    const { patient } = await references();
    const { uuid } = await create({ patient_id: patient.id, appointment_date: '2031-03-06T09:00:00', 'user[]': [phone.user.id] });
    const app = await integrationClient(test, own());
    expect((await app.get(`/appointments/${uuid}`)).body.data).toMatchObject({
      uuid,
      appointment_date: '2031-03-06T09:00:00',
      patient: { uuid: patient.id },
      user: [String(phone.user.id)],
    });
  });
});

describe('deleting an appointment', () => {
  it('takes it out of every list and figure, and keeps it for the history', async () => {
    const { patient, office } = await references();
    const fields = { patient_id: patient.id, office: office.id, appointment_date: '2032-01-05T09:00:00', confirmation: 'Yes' };
    const { uuid } = await create({ ...fields, 'user[]': [phone.user.id] });
    const paths = ['', '/all', '/search', '/status', '/status/all', `/patient/${patient.id}`];
    const countListed = async () =>
      Promise.all(paths.map(async (path) => (await phone.get(`/appointments${path}?min_appointment_date=2032-01-05`)).body.data.length));
    expect(await countListed()).toEqual(paths.map(() => 1));
    await phone.delete(`/appointments/${uuid}`).expect(204);
    expect(await countListed()).toEqual(paths.map(() => 0));
    const figures = await phone.get(`/appointments/percentage?office=${office.id}`);
    expect(figures.body.data).toMatchObject({ percentage: 0, confirmed: 0, declined: 0, pending: 0, total: 0 });
    for (const answer of [
      await phone.get(`/appointments/${uuid}`),
      await phone.post(`/appointments/${uuid}`).send({}),
      await phone.delete(`/appointments/${uuid}`),
    ])
      expect([answer.status, answer.body.code]).toEqual([404, 'appointment_not_found']);
    const row = await rows().appointment.findUnique({ where: { organizationId_id: { ...own(), id: uuid } } });
    expect(row).toMatchObject({ status: 'cancelled', cancelledAt: expect.any(Date), confirmation: 'Yes', patientId: patient.id });
  });
});

describe('a path', () => {
  it('works with and without a slash at its end', async () => {
    const { uuid } = (await phone.post('/appointments').send({}).expect(201)).body.data;
    await phone.get(`/appointments/${uuid}/`).expect(200);
    await phone.get('/appointments/').expect(200);
    await phone.get('/appointments/all/').expect(200);
  });
});

import { describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createAppointmentType, createLocation, createPatient, createProvider, createUser } from '../../support/factories.ts';
import { expectException } from './exceptions.ts';

const test = await sharedTestApp();
const clinic = await integrationClient(test);

const UTC_SECOND = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;
const rows = () => test.database.prisma;

async function appointment(fields: object = {}) {
  const created = await clinic.post('/appointments').send(fields);
  expect(created.status, created.text).toBe(200);
  return created.body.data;
}

describe('an appointment', () => {
  it('is created and read with exactly the fields of the document', async () => {
    const { organizationId } = clinic;
    const provider = await createProvider(rows(), { organizationId });
    const patient = await createPatient(rows(), { organizationId, firstName: 'Zoë', lastName: 'Núñez', primaryProviderId: provider.id });
    const type = await createAppointmentType(rows(), { organizationId, name: 'Check-up', description: 'Once a year' });
    const sent = { appointment_date: '2026-03-09T09:30:00', patient_id: patient.id, appointment_type_id: type.id };
    const created = await clinic.post('/appointments').send(sent);
    expect(created.status).toBe(200);
    const me = await rows().user.findFirstOrThrow({ where: { organizationId, type: 'interface' } });
    expect(created.body).toEqual({
      data: {
        uuid: expect.any(Number),
        appointment_date: '2026-03-09T09:30:00',
        appointment_date_utc: '2026-03-09T13:30:00Z',
        appointment_timezone: 'America/New_York',
        created_at: expect.stringMatching(UTC_SECOND),
        updated_at: expect.stringMatching(UTC_SECOND),
        created_by: me.id,
        created_by_first_name: me.firstName,
        created_by_last_name: me.lastName,
        duration_minutes: 30,
        initial_sms_sent: null,
        status: 'scheduled',
        status_changes: [],
        confirmation: 'Pending',
        office_id: null,
        provider_id: null,
        waiting_room_id: null,
        location: null,
        patient: {
          uuid: patient.id,
          user_uuid: null,
          firstname: 'Zoë',
          lastname: 'Núñez',
          address: { address: null, address2: null, city: null, state: null, zip: null },
          email: null,
          phone_no: null,
          dob: null,
          admit_date: null,
          gender: null,
          med_rec_no: null,
          census: null,
          provider: provider.id,
          location: null,
          flags: [],
          do_not_sms: '0',
        },
        patient_restricted: false,
        type: { uuid: type.id, name: 'Check-up', description: 'Once a year', active: 1, is_global: 0 },
        user: [],
      },
    });
    expect((await clinic.get(`/appointments/${created.body.data.uuid}`)).body).toEqual(created.body);
  });

  it.each([
    ['no body', (request: ReturnType<typeof clinic.post>) => request],
    ['no body but a JSON content type', (request: ReturnType<typeof clinic.post>) => request.set('content-type', 'application/json')],
    ['an empty object', (request: ReturnType<typeof clinic.post>) => request.send({})],
    [
      'null for everything',
      (request: ReturnType<typeof clinic.post>) => request.send({ appointment_date: null, patient_id: null, appointment_type_id: null }),
    ],
    [
      'empty texts for everything',
      (request: ReturnType<typeof clinic.post>) => request.send({ appointment_date: '', patient_id: '', appointment_type_id: '' }),
    ],
  ])('can be created with %s, and dated later', async (_, fill) => {
    const created = await fill(clinic.post('/appointments'));
    expect(created.status).toBe(200);
    expect(created.body.data).toMatchObject({
      appointment_date: null,
      appointment_date_utc: null,
      appointment_timezone: 'America/New_York',
      patient: null,
      type: null,
    });
    const dated = await clinic.put(`/appointments/${created.body.data.uuid}`).send({ appointment_date: '2026-07-01T08:00:00' });
    expect(dated.body.data).toMatchObject({ appointment_date: '2026-07-01T08:00:00', appointment_date_utc: '2026-07-01T12:00:00Z' });
  });

  it('names the signed-in user as its creator', async () => {
    const nurse = await signedInUser(test, { organizationId: clinic.organizationId });
    const created = await nurse.post('/api/appointments').send({});
    expect(created.body.data).toMatchObject({
      created_by: nurse.user.id,
      created_by_first_name: nurse.user.firstName,
      created_by_last_name: nurse.user.lastName,
    });
    expect((await clinic.get(`/appointments/${created.body.data.uuid}`)).body).toEqual(created.body);
  });

  it('lists the users who take part, and shows its location', async () => {
    const { organizationId } = clinic;
    const { uuid } = await appointment({ appointment_date: '2026-05-05T10:00:00' });
    const users = await Promise.all([createUser(rows(), { organizationId }), createUser(rows(), { organizationId })]);
    const ids = users.map(({ user }) => user.id).sort((one, other) => one - other);
    for (const userId of ids.toReversed()) await rows().userAppointment.create({ data: { organizationId, appointmentId: uuid, userId } });
    const location = await createLocation(rows(), {
      organizationId,
      name: 'Room 4',
      phone: '+19105550199',
      address1: '4 Oak Rd',
      address2: 'Rear',
      city: 'Cary',
      state: 'NC',
      zip: '27511',
    });
    await rows().appointment.update({
      where: { organizationId_id: { organizationId, id: uuid } },
      data: { locationId: location.id, initialSmsSent: true },
    });
    const read = await clinic.get(`/appointments/${uuid}`);
    expect(read.body.data).toMatchObject({
      initial_sms_sent: true,
      user: ids.map(String),
      location: {
        uuid: location.id,
        name: 'Room 4',
        phone: '9105550199',
        address: '4 Oak Rd',
        address2: 'Rear',
        city: 'Cary',
        state: 'NC',
        zip: '27511',
      },
    });
  });

  it('shows nothing of a patient whose chart was deleted', async () => {
    const { organizationId } = clinic;
    const patient = await createPatient(rows(), { organizationId });
    const { uuid } = await appointment({ patient_id: patient.id });
    await rows().patient.update({ where: { organizationId_id: { organizationId, id: patient.id } }, data: { status: 'deleted' } });
    expect((await clinic.get(`/appointments/${uuid}`)).body.data.patient).toBeNull();
    expectException(await clinic.post('/appointments').send({ patient_id: patient.id }), 404, 'patient_id');
  });
});

import { describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createAppointmentType, createLocation, createOffice, createPatient, createProvider, createUser } from '../../support/factories.ts';
import { appointmentReferences } from '../../support/schedule.ts';
import { expectException } from './exceptions.ts';

const test = await sharedTestApp();
const clinic = await integrationClient(test);
const stranger = await integrationClient(test);
const { organizationId } = clinic;

const rows = () => test.database.prisma;
const NOWHERE = 2_147_483_647;

async function book(fields: object) {
  const answer = await clinic.post('/appointments').send(fields);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

describe('a patient', () => {
  it('is read by id as it was created, with the entity tag of the create, and audited', async () => {
    const created = await clinic.post('/patients').send({ firstname: 'Ida', lastname: 'Ivers', dob: '1979-05-06', med_rec_no: 'ID-1' });
    const { uuid } = created.body.data;
    const read = await clinic.get(`/patients/${uuid}`);
    expect({ status: read.status, body: read.body, etag: read.headers.etag }).toEqual({
      status: 200,
      body: created.body,
      etag: created.headers.etag,
    });
    expect((await clinic.get(`/patients/${uuid}`).set('if-none-match', String(read.headers.etag))).status).toBe(304);
    const audits = await rows().auditEntry.findMany({
      where: { organizationId, resource: 'patient', operation: 'GET /api/patients/{uuid}' },
    });
    expect(audits.map(({ action, resourceIds }) => [action, resourceIds.map(Number)])).toEqual([
      ['read', [uuid]],
      ['read', [uuid]],
    ]);
  });

  it('is not found by id where it was deleted, or is another organization’s', async () => {
    const deleted = await createPatient(rows(), { organizationId, status: 'deleted' });
    const theirs = await createPatient(rows(), { organizationId: stranger.organizationId });
    const nobodys = await clinic.get(`/patients/${NOWHERE}`);
    for (const { id } of [deleted, theirs]) {
      const answer = await clinic.get(`/patients/${id}`);
      expectException(answer, 404, null);
      expect(answer.body).toEqual(nobodys.body);
    }
  });
});

describe('an appointment', () => {
  it('is booked for people, at a place, for as long as it takes, and all of it is changed again', async () => {
    const { office, location, type, patient } = await appointmentReferences(rows(), organizationId);
    const [one, other] = [(await createUser(rows(), { organizationId })).user.id, (await createUser(rows(), { organizationId })).user.id];
    const booked = await book({
      appointment_date: '2031-03-03T09:00:00',
      patient_id: patient.id,
      appointment_type_id: type.id,
      office_id: office.id,
      location_id: location.id,
      duration_minutes: '75',
      user: [String(other), one, one],
    });
    expect(booked).toMatchObject({
      duration_minutes: 75,
      office_id: office.id,
      location: { uuid: location.id, name: 'Room 2' },
      user: [one, other].map(String),
    });
    const nurse = await signedInUser(test, { organizationId });
    expect((await nurse.get(`/appointments/${booked.uuid}`)).body.data).toMatchObject({
      appointment_end: '2031-03-03T17:15:00Z',
      duration_minutes: 75,
      location_id: location.id,
      users: [{ uuid: one }, { uuid: other }],
    });
    const change = async (fields: object) => (await clinic.put(`/appointments/${booked.uuid}`).send(fields)).body.data;
    expect(await change({ user: [other], duration_minutes: 20, location_id: null })).toMatchObject({
      duration_minutes: 20,
      location: null,
      user: [String(other)],
    });
    expect(await change({ duration_minutes: null, user: null })).toMatchObject({ duration_minutes: 45, user: [] });
    expect(await change({ appointment_type_id: null, duration_minutes: 50 })).toMatchObject({ duration_minutes: 50, type: null });
    expect(await change({ duration_minutes: null })).toMatchObject({ duration_minutes: 30 });
  });

  it('is as long as its type, or else as the organization’s usual appointment, where no length is sent', async () => {
    const type = await createAppointmentType(rows(), { organizationId, durationMinutes: 90 });
    expect(await book({ appointment_type_id: type.id })).toMatchObject({ duration_minutes: 90 });
    expect(await book({ appointment_type_id: type.id, duration_minutes: 10 })).toMatchObject({ duration_minutes: 10 });
    expect(await book({})).toMatchObject({ duration_minutes: 30 });
  });

  it('is of the provider whose user takes part, or of the one who is named, and can be sent back as it was read', async () => {
    const nurse = await createUser(rows(), { organizationId });
    const [hers, another] = [
      await createProvider(rows(), { organizationId, userId: nurse.user.id }),
      await createProvider(rows(), { organizationId }),
    ];
    const booked = await book({ appointment_date: '2031-03-04T09:00:00', user: [nurse.user.id], duration_minutes: 25 });
    expect(booked).toMatchObject({ provider_id: hers.id });
    const named = await clinic.put(`/appointments/${booked.uuid}`).send({ provider_id: another.id });
    expect(named.body.data).toMatchObject({ provider_id: another.id, user: [String(nurse.user.id)] });
    const again = await clinic.put(`/appointments/${booked.uuid}`).send(named.body.data);
    expect(again.body).toEqual(named.body);
    expectException(await clinic.post('/appointments').send({ provider_id: NOWHERE }), 404, 'provider_id');
  });

  it('is booked in no office that was closed, and stays in one that is closed later', async () => {
    const office = await createOffice(rows(), { organizationId });
    const { uuid } = await book({ office_id: office.id });
    await rows().office.update({ where: { organizationId_id: { organizationId, id: office.id } }, data: { active: false } });
    const closed = await clinic.post('/appointments').send({ office_id: office.id });
    expectException(closed, 404, 'office_id');
    expect(closed.body).toEqual((await clinic.post('/appointments').send({ office_id: NOWHERE })).body);
    const kept = await clinic.put(`/appointments/${uuid}`).send({ office_id: office.id, duration_minutes: 15 });
    expect(kept.body.data).toMatchObject({ office_id: office.id, duration_minutes: 15 });
  });

  it('keeps a waiting room or a location that is closed later, and no other appointment takes it', async () => {
    const { office, room, location } = await appointmentReferences(rows(), organizationId);
    const there = { office_id: office.id, waiting_room_id: room.id, location_id: location.id };
    const { uuid } = await book(there);
    const other = await book({ office_id: office.id });
    const closed = { data: { active: false }, select: { id: true } };
    await rows().waitingRoom.update({ where: { organizationId_id: { organizationId, id: room.id } }, ...closed });
    await rows().location.update({ where: { organizationId_id: { organizationId, id: location.id } }, ...closed });
    const nurse = await signedInUser(test, { organizationId });
    for (const field of ['waiting_room_id', 'location_id'] as const) {
      const refused = await clinic.post('/appointments').send({ office_id: office.id, [field]: there[field] });
      expectException(refused, 404, field);
      expect(refused.body).toEqual((await clinic.post('/appointments').send({ office_id: office.id, [field]: NOWHERE })).body);
      expectException(await clinic.put(`/appointments/${other.uuid}`).send({ [field]: there[field] }), 404, field);
      const alsoMobile = await nurse.post('/appointments/').send({ office_id: office.id, [field]: there[field] });
      expect(alsoMobile.body).toMatchObject({ status: 404, errors: [{ pointer: `/${field}` }] });
    }
    const kept = await clinic.put(`/appointments/${uuid}`).send({ ...there, duration_minutes: 15 });
    expect(kept.body.data).toMatchObject({ waiting_room_id: room.id, location: { uuid: location.id }, duration_minutes: 15 });
  });

  it('moves to another office with another waiting room or without one', async () => {
    const [one, two] = [await appointmentReferences(rows(), organizationId), await appointmentReferences(rows(), organizationId)];
    const { uuid } = await book({ office_id: one.office.id, waiting_room_id: one.room.id });
    const put = (fields: object) => clinic.put(`/appointments/${uuid}`).send(fields);
    expectException(await put({ office_id: two.office.id }), 400, 'waiting_room_id');
    const moved = await put({ office_id: two.office.id, waiting_room_id: two.room.id });
    expect(moved.body.data).toMatchObject({ office_id: two.office.id, waiting_room_id: two.room.id });
    const back = await put({ office_id: one.office.id, waiting_room_id: null });
    expect(back.body.data).toMatchObject({ office_id: one.office.id, waiting_room_id: null });
    expect((await clinic.get(`/appointments/${uuid}`)).body).toEqual(back.body);
  });

  it.each([
    ['duration_minutes', 0, 400],
    ['duration_minutes', 1441, 400],
    ['duration_minutes', 7.5, 400],
    ['duration_minutes', 'long', 400],
    ['user', 'Una', 400],
    ['user.0', [0], 400],
    ['user.0', [NOWHERE], 404],
    ['location_id', NOWHERE, 404],
  ])('names %s where it is %j', async (field, value, status) => {
    const [name = ''] = field.split('.');
    const answer = await clinic.post('/appointments').send({ [name]: value });
    expectException(answer, status, field);
  });

  it('takes neither the interface user of a client nor another organization’s people and places', async () => {
    const me = await rows().user.findFirstOrThrow({ where: { organizationId, type: 'interface' } });
    const theirs = await createUser(rows(), { organizationId: stranger.organizationId });
    const room = await createLocation(rows(), { organizationId: stranger.organizationId });
    expectException(await clinic.post('/appointments').send({ user: [me.id] }), 404, 'user.0');
    expectException(await clinic.post('/appointments').send({ user: [theirs.user.id] }), 404, 'user.0');
    expectException(await clinic.post('/appointments').send({ location_id: room.id }), 404, 'location_id');
  });
});

describe('the list of appointments', () => {
  it('is of one patient, between two days or instants that both belong to it, by start, in pages', async () => {
    const patient = await createPatient(rows(), { organizationId });
    const at = async (appointment_date: string) => (await book({ appointment_date, patient_id: patient.id })).uuid;
    const [third, first, second] = [await at('2032-06-02T23:59:00'), await at('2032-06-01T00:00:00'), await at('2032-06-02T09:30:00')];
    await book({ patient_id: patient.id });
    await book({ appointment_date: '2032-06-02T10:00:00' });
    const cancelled = await at('2032-06-02T11:00:00');
    await clinic.delete(`/appointments/${cancelled}`);
    const list = async (query: string) => {
      const answer = await clinic.get(`/appointments?patient_id=${patient.id}${query}`);
      expect(answer.status, answer.text).toBe(200);
      return answer.body.data.map(({ uuid }: { uuid: number }) => uuid);
    };
    expect(await list('')).toEqual([first, second, third]);
    expect(await list('&from=&to=')).toEqual([first, second, third]);
    expect(await list('&from=2032-06-01&to=2032-06-01')).toEqual([first]);
    expect(await list('&from=2032-06-02')).toEqual([second, third]);
    expect(await list('&to=2032-06-02T09:30:00')).toEqual([first, second]);
    expect(await list('&from=2032-06-02T13:30:00Z')).toEqual([second, third]);
    expect(await list('&from=2032-06-02T09:30:01')).toEqual([third]);
    expect(await list('&from=2033-01-01')).toEqual([]);

    const page = await clinic.get(`/appointments?patient_id=${patient.id}&limit=2&from=2032-06-01`);
    expect(page.body).toMatchObject({ data: [{ uuid: first, patient: { uuid: patient.id } }, { uuid: second }], meta: null });
    expect(page.body.links).toMatchObject({ prev: null, next: expect.stringContaining('page=2') });
    const next = new URL(page.body.links.next);
    expect(next.searchParams.get('from')).toBe('2032-06-01');
    expect((await clinic.get(`${next.pathname.replace('/api', '')}${next.search}`)).body.data).toMatchObject([{ uuid: third }]);
    expect((await clinic.get(`/appointments/${second}`)).body.data).toEqual(page.body.data[1]);
  });

  it('tells of a restricted patient neither the chart nor which appointments are theirs, but to clients with the right', async () => {
    const patient = await createPatient(rows(), { organizationId });
    const { uuid } = await book({ appointment_date: '2034-02-02T08:00:00', patient_id: patient.id });
    await rows().privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind: 'record' } });
    expectException(await clinic.get(`/patients/${patient.id}`), 404, null);
    expect((await clinic.get(`/appointments?patient_id=${patient.id}`)).body.data).toEqual([]);
    expect((await clinic.get('/appointments?from=2034-02-02&to=2034-02-02')).body.data).toMatchObject([
      { uuid, patient: null, patient_restricted: true },
    ]);
    const trusted = await integrationClient(test, { organizationId, scopes: ['integration.read', 'restricted.read'] });
    expect((await trusted.get(`/patients/${patient.id}`)).body.data).toMatchObject({ uuid: patient.id });
    expect((await trusted.get(`/appointments?patient_id=${patient.id}`)).body.data).toMatchObject([
      { uuid, patient: { uuid: patient.id } },
    ]);
    const audits = await rows().auditEntry.findMany({ where: { organizationId, detail: 'despite a restriction' }, orderBy: { id: 'asc' } });
    expect(audits.map(({ operation }) => operation)).toEqual(['GET /api/patients/{uuid}', 'GET /api/appointments']);
  });

  it('is of the whole organization without a patient, and empty for a patient whom it does not have', async () => {
    const { uuid } = await book({ appointment_date: '2033-02-02T08:00:00' });
    expect((await clinic.get('/appointments?from=2033-02-02&to=2033-02-02')).body.data).toMatchObject([{ uuid }]);
    expect((await stranger.get('/appointments?from=2033-02-02&to=2033-02-02')).body.data).toEqual([]);
    for (const patientId of [NOWHERE, (await createPatient(rows(), { organizationId: stranger.organizationId })).id]) {
      expect((await clinic.get(`/appointments?patient_id=${patientId}`)).body).toMatchObject({ data: [], meta: null });
    }
  });

  it.each([
    ['from', '2032-02-30'],
    ['to', 'tomorrow'],
    ['from', '2032-06-02&to=2032-06-01'],
    ['patient_id', 'seven'],
    ['limit', '1001'],
  ])('names %s where it is %s', async (field, value) => {
    expectException(await clinic.get(`/appointments?${field}=${value}`), 400, field);
  });
});

import { describe, expect, it } from 'vitest';
import type { Prisma } from '../../src/generated/prisma/client.ts';
import { integrationClient, practiceClient, signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createAppointmentType, createPatient } from '../support/factories.ts';
import { createAppointment } from '../support/schedule.ts';

const test = await sharedTestApp();
const staff = await signedInUser(test);
const { organizationId } = staff;
const integration = await integrationClient(test, { organizationId });
const trusted = await integrationClient(test, { organizationId, scopes: ['integration.read', 'integration.write', 'restricted.read'] });
const practice = await practiceClient(test, { organizationId });
const trustedPractice = await practiceClient(test, { organizationId, scopes: ['practice.read', 'practice.write', 'restricted.read'] });

const rows = () => test.database.prisma;
const DESPITE = 'despite a restriction';

const restrict = (patientId: number) => rows().privacyRestriction.create({ data: { organizationId, patientId, kind: 'record' } });

const newPatient = (data: Partial<Prisma.PatientUncheckedCreateInput> = {}) =>
  createPatient(rows(), { organizationId, email: 'secret@example.com', mobilePhone: '+15185550142', ...data });

async function restrictedPatient(data: Partial<Prisma.PatientUncheckedCreateInput> = {}) {
  const patient = await newPatient(data);
  await restrict(patient.id);
  return patient;
}

/** The audit rows about a chart, oldest first. */
async function audits(id: number) {
  const about = [{ resource: 'patient', resourceIds: { has: id } }, { patientIds: { has: id } }];
  const found = await rows().auditEntry.findMany({ where: { organizationId, OR: about }, orderBy: { id: 'asc' } });
  return found.map(({ actor, action, detail }) => ({ actor: actor.split(':')[0], action, detail }));
}

describe('a restricted patient, for a caller without the right,', () => {
  it('is neither listed, nor searched, nor matched, nor named by a record number', async () => {
    const patient = await restrictedPatient({ lastName: 'Hiddenfield', birthDate: new Date('1980-01-01'), medicalRecordNo: 'R-2' });
    await rows().organization.update({ where: { id: organizationId }, data: { matchOnRegistration: true } });
    for (const answer of [
      await practice.get('/patients?lastname=hiddenfield'),
      await practice.get('/patients?dob=01/01/1980'),
      await staff.get('/patients?dob=1980-01-01&med_rec_no=R-2'),
      await staff.get('/patients?lastname=hiddenfield'),
      await staff.get('/contacts?name=hiddenfield'),
    ]) {
      expect(answer.status, answer.text).toBe(200);
      expect(answer.text).not.toContain('Hiddenfield');
    }
    const same = { firstname: 'Pat', lastname: 'Hiddenfield', dob: '01/01/1980', email: 'secret@example.com', departmentid: 1 };
    const { departmentid: _, ...form } = same;
    const registered = await practice.post('/patients').type('form').send(form);
    expect(registered.status, registered.text).toBe(200);
    expect(registered.body[0].patientid).not.toBe(String(patient.id));
    const taken = await integration.post('/patients').send({ lastname: 'Other', med_rec_no: 'R-2' });
    expect(taken.status).toBe(409);
    expect(taken.text).not.toContain(String(patient.id));
  });
});

describe('a stored response', () => {
  it('is sent again until a chart in it is restricted, and then again to those who may see it', async () => {
    for (const [client, status] of [
      [integration, 404],
      [trusted, 200],
    ] as const) {
      const register = () => client.post('/patients').set('idempotency-key', 'k-1').send({ lastname: 'Hiddenfield', firstname: 'Pat' });
      const { uuid } = (await register()).body.data;
      const book = () => client.post('/appointments').set('idempotency-key', 'k-2').send({ patient_id: uuid });
      for (const request of [register, book]) expect((await request()).status).toBe(200);
      await restrict(uuid);
      for (const request of [register, book]) expect((await request()).status).toBe(status);
    }
  });
});

describe('an appointment of a restricted patient', () => {
  const startsAt = '2031-03-04T14:00:00Z';
  const booked = async () => {
    const patient = await restrictedPatient({ lastName: 'Hiddenfield' });
    const type = await createAppointmentType(rows(), { organizationId });
    const row = { organizationId, startsAt, patientId: patient.id, typeId: type.id, typeOrganizationId: organizationId };
    const { id } = await createAppointment(rows(), row, [staff.user.id]);
    return { patient, id };
  };

  it('stands in its lists without the patient, so that the slot is seen to be taken', async () => {
    const { patient, id } = await booked();
    const day = 'min_appointment_date=2031-03-04&max_appointment_date=2031-03-05';
    const withheld = { uuid: id, patient: null, patient_restricted: true };
    for (const path of ['', '/all', '/search', '/status/all', `/status?status=Pending&user_id=${staff.user.id}`]) {
      const { status, body, text } = await staff.get(`/appointments${path}${path.includes('?') ? '&' : '?'}${day}`);
      expect(status, text).toBe(200);
      expect(body.data).toContainEqual(expect.objectContaining({ ...withheld, patient_id: null }));
      expect(text).not.toMatch(/Hiddenfield|secret@|5185550142/);
    }
    const assigned = await staff.get('/user-appointments?limit=1000');
    const assignment = expect.objectContaining({ appointment_id: id, appointment: expect.objectContaining(withheld) });
    expect(assigned.body.data).toContainEqual(assignment);
    expect((await staff.get(`/appointments/${id}`)).body.data).toMatchObject({ ...withheld, patient_id: null });
    expect((await integration.get(`/appointments/${id}`)).body.data).toMatchObject(withheld);
    expect((await integration.get('/appointments?from=2031-03-04&to=2031-03-04')).body.data).toContainEqual(
      expect.objectContaining(withheld),
    );
    expect((await integration.get(`/appointments?patient_id=${patient.id}`)).body.data).toEqual([]);
    expect(await audits(patient.id)).toEqual([]);
  });

  it('can be changed and sent back as it was read, and keeps the patient', async () => {
    const { patient, id } = await booked();
    const read = (await staff.get(`/appointments/${id}`)).body.data;
    const { appointment_date, patient_id, appointment_type_id } = read;
    expect((await staff.post(`/appointments/${id}`).send({ appointment_date, patient_id, appointment_type_id })).status).toBe(200);
    const moved = await integration.put(`/appointments/${id}`).send({ appointment_date: '2031-03-04T16:00:00Z', patient_id: null });
    expect(moved.status, moved.text).toBe(200);
    expect(moved.body.data).toMatchObject({ patient: null, patient_restricted: true });
    expect((await trusted.get(`/appointments/${id}`)).body.data.patient.uuid).toBe(patient.id);
    expect((await trusted.put(`/appointments/${id}`).send({ patient_id: null })).body.data).toMatchObject({
      patient: null,
      patient_restricted: false,
    });
  });

  it('is shown whole to a client with the scope, and each look is audited', async () => {
    const { patient, id } = await booked();
    const shown = expect.objectContaining({ uuid: id, patient: expect.objectContaining({ uuid: patient.id }), patient_restricted: true });
    expect((await trusted.get(`/appointments/${id}`)).body.data).toEqual(shown);
    expect((await trusted.get(`/appointments?patient_id=${patient.id}`)).body.data).toEqual([shown]);
    expect(await audits(patient.id)).toEqual([
      { actor: 'client', action: 'read', detail: DESPITE },
      { actor: 'client', action: 'search', detail: DESPITE },
    ]);
  });
});

describe('a client with the scope restricted.read', () => {
  it('reads, changes, finds and books a restricted patient, and the audit says so each time', async () => {
    const { id } = await restrictedPatient({ lastName: 'Hiddenfield-Trust', medicalRecordNo: 'R-3' });
    expect((await trusted.get(`/patients/${id}`)).status).toBe(200);
    expect((await trusted.get('/patients/mrn/R-3')).body.data.uuid).toBe(id);
    expect((await trusted.put(`/patients/${id}`).send({})).status).toBe(200);
    expect((await trusted.put(`/patients/${id}`).send({ city: 'Cary' })).body.data.address.city).toBe('Cary');
    expect((await trustedPractice.get(`/patients/${id}`)).body).toMatchObject([{ patientid: String(id) }]);
    const found = await trustedPractice.get('/patients?lastname=hiddenfield-trust');
    expect(found.body).toMatchObject({ totalcount: 1, patients: [{ patientid: String(id) }] });
    expect((await trusted.post('/appointments').send({ patient_id: id })).body.data.patient.uuid).toBe(id);
    const seen = await audits(id);
    expect(seen.map(({ action }) => action)).toEqual(['read', 'read', 'read', 'update', 'read', 'search', 'create', 'read']);
    expect(seen.every(({ detail }) => detail === DESPITE)).toBe(true);
  });

  it('follows the pages of a search from chart to chart, restricted or not', async () => {
    const ids = [
      (await newPatient({ firstName: 'Ada', lastName: 'Pagefield' })).id,
      (await restrictedPatient({ firstName: 'Bea', lastName: 'Van Pagefield' })).id,
      (await restrictedPatient({ firstName: 'Cleo', lastName: 'Pagefield' })).id,
    ];
    const found: string[] = [];
    for (let path = '/patients?lastname=pagefield&limit=1'; path !== ''; ) {
      const { body } = await trustedPractice.get(path);
      expect(body.totalcount).toBe(3);
      found.push(...body.patients.map(({ patientid }: { patientid: string }) => patientid));
      path = body.next === undefined ? '' : String(body.next).replace(`/v1/${organizationId}`, '');
    }
    expect(found.toSorted()).toEqual(ids.map(String).toSorted());
    expect((await practice.get('/patients?lastname=pagefield')).body.totalcount).toBe(1);
  });

  it('has no such detail on looks at other charts', async () => {
    const { id } = await newPatient();
    await trusted.get(`/patients/${id}`);
    await trusted.put(`/patients/${id}`).send({ city: 'Cary' });
    expect(await audits(id)).toMatchObject([
      { action: 'read', detail: null },
      { action: 'update', detail: null },
    ]);
  });
});

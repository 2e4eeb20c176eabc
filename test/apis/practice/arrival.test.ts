import { describe, expect, it } from 'vitest';
import { integrationClient, practiceClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import {
  createAppointmentType,
  createOffice,
  createOrganization,
  createPatient,
  createProvider,
  createUser,
} from '../../support/factories.ts';

const test = await sharedTestApp();
const rows = test.database.prisma;
const DONE = { success: true, message: '' };
const STAMP = expect.stringMatching(/^\d{2}\/\d{2}\/\d{4} \d{2}:\d{2}:\d{2}$/);

async function practice() {
  const { id: organizationId } = await createOrganization(rows, { timeZone: 'America/New_York' });
  const app = await integrationClient(test, { organizationId });
  const client = await practiceClient(test, { organizationId });
  const patient = (await createPatient(rows, { organizationId })).id;
  const office = (await createOffice(rows, { organizationId })).id;
  const book = async (fields: object = {}): Promise<number> => {
    const answer = await app
      .post('/appointments')
      .send({ appointment_date: '2031-03-03T09:00:00', patient_id: patient, office_id: office, ...fields });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data.uuid;
  };
  const step = (id: number, what: string) => client.post(`/appointments/${id}/${what}`);
  const readOne = async (id: number) => (await client.get(`/appointments/${id}`).expect(200)).body[0];
  return { organizationId, app, client, patient, office, book, step, readOne };
}

describe('checking a patient in and out, as public clients do', () => {
  it('goes from start to check-out, each step again doing nothing, and is seen in the other APIs', async () => {
    const { app, book, step, readOne } = await practice();
    const id = await book();
    for (const _ of [1, 2]) expect((await step(id, 'startcheckin').expect(200)).body).toEqual(DONE);
    expect(await readOne(id)).toMatchObject({ appointmentstatus: 'f', startcheckin: STAMP });
    for (const _ of [1, 2]) expect((await step(id, 'checkin').expect(200)).body).toEqual(DONE);
    expect(await readOne(id)).toMatchObject({ appointmentstatus: '2', startcheckin: STAMP, stopcheckin: STAMP, checkindatetime: STAMP });
    expect((await app.get(`/appointments/${id}`).expect(200)).body.data.status).toBe('arrived');
    for (const _ of [1, 2]) expect((await step(id, 'checkout').expect(200)).body).toEqual(DONE);
    expect(await readOne(id)).toMatchObject({ appointmentstatus: '3', checkindatetime: STAMP, checkoutdatetime: STAMP });
    for (const what of ['startcheckin', 'checkin', 'cancelcheckin'])
      expect((await step(id, what).expect(409)).body.error).toContain('The patient has left');
  });

  it('is taken back, begun or done', async () => {
    const { book, step, readOne } = await practice();
    const id = await book();
    await step(id, 'startcheckin').expect(200);
    expect((await step(id, 'cancelcheckin').expect(200)).body).toEqual(DONE);
    await step(id, 'checkin').type('form').send('').expect(200);
    for (const _ of [1, 2]) await step(id, 'cancelcheckin').expect(200);
    const after = await readOne(id);
    expect(after.appointmentstatus).toBe('f');
    expect(Object.keys(after)).not.toEqual(expect.arrayContaining(['startcheckin']));
    expect(Object.keys(after)).not.toEqual(expect.arrayContaining(['checkindatetime']));
  });

  it('is refused of an open appointment, a cancelled one, one of another practice, and out before in', async () => {
    const { book, step, client, patient } = await practice();
    const [id, open] = [await book(), await book({ patient_id: null })];
    expect((await step(open, 'checkin').expect(409)).body.error).toContain('no patient');
    expect((await step(id, 'checkout').expect(409)).body.error).toContain('not checked in');
    await client.put(`/appointments/${id}/cancel?patientid=${patient}`).expect(200);
    await step(id, 'checkin').expect(409);
    const stranger = await practice();
    await stranger.step(id, 'checkin').expect(404);
    await step(id, 'undo').expect(404);
    expect((await client.get('/appointments/waitinglists').expect(404)).body.error).toBe('There is no such operation.');
  });

  it('requires no fields of a chart at a department that is there', async () => {
    const { client, office } = await practice();
    expect((await client.get(`/departments/${office}/checkinrequired`).expect(200)).body).toEqual({ fieldlist: [] });
    await client.get('/departments/999999999/checkinrequired').expect(404);
  });
});

describe('cancelling with a reason', () => {
  it('says who cancelled and why, and that the patient did not come', async () => {
    const { client, patient, book, readOne } = await practice();
    const [id, missed] = [await book(), await book({ appointment_date: '2031-03-04T09:00:00' })];
    const reasons = (await client.get('/appointmentcancelreasons').expect(200)).body.appointmentcancelreasons;
    const noShow = reasons.find((one: { noshow: boolean }) => one.noshow).reasonid;
    await client.put(`/appointments/${id}/cancel?patientid=${patient}&cancellationreason=moved%20away`).expect(200);
    expect(await readOne(id)).toMatchObject({ appointmentstatus: 'x', cancelreasonname: 'moved away', cancelreasonnoshow: false });
    await client
      .put(`/appointments/${missed}/cancel`)
      .type('form')
      .send({ patientid: patient, appointmentcancelreasonid: noShow })
      .expect(200);
    expect(await readOne(missed)).toMatchObject({ appointmentstatus: 'x', cancelreasonnoshow: true, cancelledby: expect.any(String) });
    expect(
      (await client.put(`/appointments/${missed}/cancel?patientid=${patient}&appointmentcancelreasonid=77`).expect(400)).body,
    ).toMatchObject({
      invalidfields: ['appointmentcancelreasonid'],
    });
  });
});

describe('PUT /appointments/booked/{id}', () => {
  it('changes type, department and provider, and answers 1', async () => {
    const { organizationId, app, client, book, readOne } = await practice();
    const make = async () => {
      const { user } = await createUser(rows, { organizationId, type: 'provider' });
      return { user: user.id, id: (await createProvider(rows, { organizationId, userId: user.id })).id };
    };
    const [former, next] = [await make(), await make()];
    const id = await book({ provider_id: former.id });
    const type = (await createAppointmentType(rows, { organizationId, durationMinutes: 20 })).id;
    const office = (await createOffice(rows, { organizationId })).id;
    const form = { appointmenttypeid: type, departmentid: office, providerid: next.id };
    expect((await client.put(`/appointments/booked/${id}`).type('form').send(form).expect(200)).text).toBe('1');
    expect(await readOne(id)).toMatchObject({ appointmenttypeid: String(type), departmentid: String(office), providerid: String(next.id) });
    expect((await app.get(`/appointments/${id}`).expect(200)).body.data.user).toEqual([String(next.user)]);
    expect((await client.put(`/appointments/booked/${id}?providerid=999999999`).expect(404)).body.invalidfields).toEqual(['providerid']);
    await client.put(`/appointments/booked/${id}`).expect(400);
    await client.put(`/appointments/booked/${await book({ patient_id: null })}?departmentid=${office}`).expect(409);
  });

  it('restores what has ended, checks in and out, and refuses a time that somebody has meanwhile', async () => {
    const { client, patient, office, book, readOne } = await practice();
    const id = await book();
    const give = (appointmentstatus: string, more = '') =>
      client.put(`/appointments/booked/${id}?appointmentstatus=${appointmentstatus}${more}`);
    for (const status of ['2', '3', 'f']) {
      await give(status).expect(200);
      expect((await readOne(id)).appointmentstatus).toBe(status);
    }
    await client.put(`/appointments/${id}/cancel?patientid=${patient}`).expect(200);
    await give('f', `&departmentid=${office}`).expect(200);
    expect(await readOne(id)).toMatchObject({ appointmentstatus: 'f', departmentid: String(office) });
    await give('x').expect(400);
    const stranger = await practice();
    await stranger.client.put(`/appointments/booked/${id}?appointmentstatus=2`).expect(404);
  });
});

describe('notes about an appointment', () => {
  it('are added, listed, changed and deleted', async () => {
    const { client, book } = await practice();
    const id = await book();
    const notes = async (query = '') => (await client.get(`/appointments/${id}/notes${query}`).expect(200)).body;
    expect(
      (await client.post(`/appointments/${id}/notes`).type('form').send({ notetext: 'Needs a ramp', appointmentid: id }).expect(200)).body,
    ).toEqual(DONE);
    await client.post(`/appointments/${id}/notes?notetext=Second&displayonschedule=true`).expect(200);
    const first = { notetext: 'Needs a ramp', displayonschedule: false, created: STAMP, createdby: expect.any(String) };
    const { totalcount, notes: listed } = await notes('?showdeleted=false');
    expect([totalcount, listed]).toEqual([
      2,
      [expect.objectContaining(first), expect.objectContaining({ notetext: 'Second', displayonschedule: true })],
    ]);
    const [one, two] = listed.map(({ noteid }: { noteid: string }) => noteid);
    await client.put(`/appointments/${id}/notes/${one}?displayonschedule=true`).expect(200);
    await client.delete(`/appointments/${id}/notes/${two}`).type('form').send({ appointmentid: id, noteid: two }).expect(200);
    expect((await notes()).notes).toEqual([expect.objectContaining({ noteid: one, notetext: 'Needs a ramp', displayonschedule: true })]);
    expect((await notes('?showdeleted=true')).notes).toMatchObject([{ noteid: one }, { noteid: two, deleted: STAMP }]);
    await client.delete(`/appointments/${id}/notes/${two}`).expect(404);
    expect((await client.post(`/appointments/${id}/notes`).expect(400)).body.missingfields).toEqual(['notetext']);
    await client.post(`/appointments/999999999/notes?notetext=x`).expect(404);
  });

  it('are not there for a client that may not see the patient', async () => {
    const { organizationId, client, patient, book } = await practice();
    const id = await book();
    await client.post(`/appointments/${id}/notes?notetext=x`).expect(200);
    await rows.privacyRestriction.create({ data: { organizationId, patientId: patient, kind: 'record' } });
    await client.get(`/appointments/${id}/notes`).expect(404);
    const trusted = await practiceClient(test, { organizationId, scopes: ['practice.read', 'restricted.read'] });
    expect((await trusted.get(`/appointments/${id}/notes`).expect(200)).body.totalcount).toBe(1);
  });
});

describe('reminders to book a visit', () => {
  it('are added, listed by department and days, read and deleted, with JSON integers', async () => {
    const { organizationId, client, patient, office } = await practice();
    const provider = (await createProvider(rows, { organizationId })).id;
    const form = { approximatedate: '6/27/2031', departmentid: office, patientid: patient, providerid: provider, note: 'Yearly' };
    const added = (await client.post('/appointments/appointmentreminders').type('form').send(form).expect(200)).body;
    expect(added).toEqual({ success: true, appointmentreminderid: expect.any(Number) });
    const id = added.appointmentreminderid;
    const reminder = {
      appointmentreminderid: id,
      approximatedate: '06/27/2031',
      departmentid: office,
      patientid: patient,
      providerid: provider,
      note: 'Yearly',
    };
    const list = (query: string) => client.get(`/appointments/appointmentreminders?departmentid=${office}&${query}`);
    const days = 'startdate=06/01/2031&enddate=06/27/2031';
    expect((await list(days).expect(200)).body).toEqual({ totalcount: 1, reminders: [reminder] });
    expect((await list('startdate=06/28/2031&enddate=07/27/2031').expect(200)).body.totalcount).toBe(0);
    expect((await list(`${days}&providerid=${provider + 1}`).expect(200)).body.totalcount).toBe(0);
    expect((await client.get(`/appointments/appointmentreminders/${id}`).expect(200)).body).toEqual(reminder);
    expect((await client.delete(`/appointments/appointmentreminders/${id}`).expect(200)).body).toEqual(DONE);
    await client.get(`/appointments/appointmentreminders/${id}`).expect(404);
    await client.delete(`/appointments/appointmentreminders/${id}`).expect(404);
    expect((await list(`${days}&showdeleted=true`).expect(200)).body.reminders).toEqual([{ ...reminder, deleted: STAMP }]);
    expect(
      (
        await client
          .post('/appointments/appointmentreminders')
          .type('form')
          .send({ ...form, patientid: 999_999_999 })
          .expect(404)
      ).body.invalidfields,
    ).toEqual(['patientid']);
    expect((await client.post('/appointments/appointmentreminders').expect(400)).body.missingfields).toEqual([
      'approximatedate',
      'departmentid',
      'patientid',
    ]);
  });
});

it('lists what a client chooses from: reasons, and no custom fields', async () => {
  const { organizationId, client, office } = await practice();
  const provider = (await createProvider(rows, { organizationId })).id;
  const type = await createAppointmentType(rows, { organizationId, name: 'Follow-up', description: 'A second look' });
  const { body } = await client.get(`/patientappointmentreasons?departmentid=${office}&providerid=${provider}`).expect(200);
  expect(body.patientappointmentreasons).toContainEqual({
    reasonid: type.id,
    reason: 'Follow-up',
    description: 'A second look',
    reasontype: 'existing',
  });
  await client.get(`/patientappointmentreasons?departmentid=${office}&providerid=999999999`).expect(404);
  expect((await client.get('/appointments/customfields').expect(200)).body).toEqual({ totalcount: 0, appointmentcustomfields: [] });
});

it('an administrator deletes a chart in the mobile API, which cancels what is to come and frees its times', async () => {
  const { organizationId, app, patient, book } = await practice();
  const id = await book();
  const [admin, staff] = [await signedInUser(test, { organizationId, type: 'admin' }), await signedInUser(test, { organizationId })];
  await staff.delete(`/patients/${patient}`).expect(403);
  await admin.delete(`/patients/${patient}`).expect(204);
  await app.get(`/appointments/${id}`).expect(404);
  await admin.delete(`/patients/${patient}`).expect(404);
  expect((await admin.post(`/appointments/${id}/status`).send({ status: 'scheduled' }).expect(409)).body.code).toBe('patient_deleted');
});

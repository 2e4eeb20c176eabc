import { describe, expect, it } from 'vitest';
import { integrationClient, practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createAppointmentType, createOrganization, createPatient } from '../../support/factories.ts';

const test = await sharedTestApp();
const rows = test.database.prisma;

async function practice() {
  const { id: organizationId } = await createOrganization(rows, { timeZone: 'America/New_York' });
  const app = await integrationClient(test, { organizationId });
  const client = await practiceClient(test, { organizationId });
  const patient = (await createPatient(rows, { organizationId })).id;
  const book = async (date: string, fields: object = {}): Promise<number> => {
    const answer = await app.post('/appointments').send({ appointment_date: date, patient_id: patient, ...fields });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data.uuid;
  };
  const put = (id: number, what: 'cancel' | 'reschedule', form: object) =>
    client.put(`/appointments/${id}/${what}`).type('form').send(form);
  const events = async (id: number) =>
    (await rows.event.findMany({ where: { organizationId, subjectType: 'appointment', subjectId: id }, orderBy: { id: 'asc' } })).map(
      ({ name }) => name,
    );
  const setStatus = (id: number, status: 'arrived' | 'completed' | 'no_show') =>
    rows.appointment.update({ where: { organizationId_id: { organizationId, id } }, data: { status } });
  return { organizationId, app, client, patient, book, put, events, setStatus };
}

describe('cancelling', () => {
  it('takes the patient from the query or the form, may be repeated, and is seen in the other APIs', async () => {
    const { app, client, patient, book, put, events } = await practice();
    const [one, two] = [await book('2031-03-03T09:00:00'), await book('2031-03-03T10:00:00')];
    expect((await put(one, 'cancel', { patientid: patient, cancellationreason: 'ill' }).expect(200)).body).toEqual({ status: 'x' });
    expect((await client.put(`/appointments/${two}/cancel?patientid=${patient}&cancellationreason=ill`).expect(200)).body).toEqual({
      status: 'x',
    });
    expect((await put(one, 'cancel', { patientid: patient }).expect(200)).body).toEqual({ status: 'x' });
    expect(await events(one)).toEqual(['appointment.scheduled', 'appointment.cancelled']);
    await app.get(`/appointments/${one}`).expect(404);
  });

  it('is refused without the patient, for another one, and once the patient has arrived', async () => {
    const { organizationId, client, patient, book, put, setStatus } = await practice();
    const other = (await createPatient(rows, { organizationId })).id;
    const id = await book('2031-03-03T09:00:00');
    expect((await put(id, 'cancel', {}).expect(400)).body.missingfields).toEqual(['patientid']);
    expect((await client.put(`/appointments/${id}/cancel`).expect(400)).body.missingfields).toEqual(['patientid']);
    expect((await put(id, 'cancel', { patientid: other }).expect(404)).body.invalidfields).toEqual(['patientid']);
    expect(
      (await client.put(`/appointments/${id}/cancel?patientid=${patient}`).type('form').send({ patientid: other }).expect(400)).body
        .invalidfields,
    ).toEqual(['patientid']);
    const stranger = await practice();
    await stranger.put(id, 'cancel', { patientid: stranger.patient }).expect(404);
    await setStatus(id, 'arrived');
    await put(id, 'cancel', { patientid: patient }).expect(409);
    await setStatus(id, 'no_show');
    await put(id, 'cancel', { patientid: patient }).expect(200);
    await put(999_999_999, 'cancel', { patientid: patient }).expect(404);
  });
});

describe('rescheduling', () => {
  it('to an open appointment books that one for the patient, and cancels the former', async () => {
    const { organizationId, app, patient, book, put, events } = await practice();
    const type = await createAppointmentType(rows, { organizationId, name: 'Check-up', durationMinutes: 20 });
    const former = await book('2031-03-03T09:00:00', { appointment_type_id: type.id });
    const open = await book('2031-03-03T15:00:00', { patient_id: undefined, appointment_length: 45 });
    const form = { patientid: patient, newappointmentid: open, reschedulereason: 'work' };
    const moved = await put(former, 'reschedule', form).expect(200);
    expect(moved.headers['warning-codes'] ?? '').not.toContain('patient_booked_twice');
    expect(moved.body).toEqual([
      expect.objectContaining({
        appointmentid: String(open),
        appointmentstatus: 'f',
        date: '03/03/2031',
        starttime: '15:00',
        patientid: String(patient),
        appointmenttypeid: String(type.id),
      }),
    ]);
    await app.get(`/appointments/${former}`).expect(404);
    expect((await app.get(`/appointments/${open}`).expect(200)).body.data).toMatchObject({ patient: { uuid: patient } });
    expect(await events(former)).toEqual(['appointment.scheduled', 'appointment.cancelled']);
    expect(await events(open)).toEqual(['appointment.scheduled', 'appointment.changed']);
    await put(former, 'cancel', { patientid: patient }).expect(200);
  });

  it('of two patients to one open appointment gives it to one of them', async () => {
    const { organizationId, patient, book, put } = await practice();
    const other = (await createPatient(rows, { organizationId })).id;
    const [mine, theirs] = [await book('2031-03-03T09:00:00'), await book('2031-03-03T10:00:00', { patient_id: other })];
    const open = await book('2031-03-04T15:00:00', { patient_id: undefined });
    const answers = await Promise.all([
      put(mine, 'reschedule', { patientid: patient, newappointmentid: open }),
      put(theirs, 'reschedule', { patientid: other, newappointmentid: open }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const left = await rows.appointment.count({ where: { organizationId, status: 'scheduled' } });
    expect(left).toBe(2);
  });

  it('to a day and a time keeps the appointment, on its own clock, over a change of the clocks', async () => {
    const { client, patient, book, put, events } = await practice();
    const id = await book('2031-03-03T09:00:00');
    const moved = (
      await client.put(`/appointments/${id}/reschedule?patientid=${patient}&appointmentdate=3/10/2031&appointmenttime=9:00`).expect(200)
    ).body;
    expect(moved).toMatchObject([{ appointmentid: String(id), date: '03/10/2031', starttime: '09:00' }]);
    expect(await events(id)).toEqual(['appointment.scheduled', 'appointment.moved']);
    const skipped = await put(id, 'reschedule', { patientid: patient, appointmentdate: '03/09/2031', appointmenttime: '02:30' }).expect(
      400,
    );
    expect(skipped.body.invalidfields).toEqual(['appointmentdate']);
  });

  it('is refused with what is wrong named', async () => {
    const { patient, book, put, setStatus } = await practice();
    const [id, taken] = [await book('2031-03-03T09:00:00'), await book('2031-03-05T09:00:00')];
    const of = { patientid: patient };
    expect((await put(id, 'reschedule', of).expect(400)).body.missingfields).toEqual(['newappointmentid']);
    expect((await put(id, 'reschedule', {}).expect(400)).body.missingfields).toEqual(['patientid', 'newappointmentid']);
    expect((await put(id, 'reschedule', { ...of, appointmentdate: '03/04/2031' }).expect(400)).body.missingfields).toEqual([
      'appointmenttime',
    ]);
    for (const [form, field] of [
      [{ newappointmentid: taken, appointmentdate: '03/04/2031', appointmenttime: '09:00' }, 'newappointmentid'],
      [{ newappointmentid: id }, 'newappointmentid'],
      [{ appointmentdate: '02/30/2031', appointmenttime: '09:00' }, 'appointmentdate'],
      [{ appointmentdate: '03/04/2031', appointmenttime: 'noon' }, 'appointmenttime'],
      [{ appointmentdate: '03/04/2031', appointmenttime: '25:00' }, 'appointmenttime'],
      [{ appointmentdate: '03/04/2031', appointmenttime: '09:60' }, 'appointmenttime'],
      [{ appointmentdate: '03/04/2031', appointmenttime: '9:30 AM' }, 'appointmenttime'],
    ] as const)
      expect((await put(id, 'reschedule', { ...of, ...form }).expect(400)).body.invalidfields).toEqual([field]);
    await put(id, 'reschedule', { ...of, newappointmentid: taken }).expect(409);
    expect((await put(id, 'reschedule', { ...of, newappointmentid: 999_999_999 }).expect(404)).body.invalidfields).toEqual([
      'newappointmentid',
    ]);
    await setStatus(id, 'completed');
    const over = await put(id, 'reschedule', { ...of, appointmentdate: '03/04/2031', appointmenttime: '09:00' }).expect(409);
    expect(over.body.error).toBe('The appointment is over: it cannot be moved.');
  });

  it('to a slot may be asked for again, as after a lost answer', async () => {
    const { organizationId, app, patient, book, put, events } = await practice();
    const former = await book('2031-03-03T09:00:00');
    const open = await book('2031-03-04T15:00:00', { patient_id: undefined });
    const form = { patientid: patient, newappointmentid: open };
    const first = (await put(former, 'reschedule', form).expect(200)).body;
    expect((await put(former, 'reschedule', form).expect(200)).body).toEqual(first);
    expect(await events(open)).toEqual(['appointment.scheduled', 'appointment.changed']);
    const other = (await createPatient(rows, { organizationId })).id;
    await app.put(`/appointments/${open}`).send({ patient_id: other }).expect(200);
    expect((await put(former, 'reschedule', form).expect(409)).body.error).toBe('The appointment was cancelled: it cannot be moved.');
  });
});

describe('an appointment that is cancelled or rescheduled', () => {
  it('is not where the client’s ETag is another, and nothing has changed then', async () => {
    const { client, patient, book, put, events } = await practice();
    const id = await book('2031-03-03T09:00:00');
    const { etag = '' } = (await client.get(`/appointments/${id}`).expect(200)).headers;
    const place = { patientid: patient, appointmentdate: '03/04/2031', appointmenttime: '09:00' };
    await put(id, 'cancel', { patientid: patient }).set('If-Match', '"another"').expect(412);
    await put(id, 'reschedule', place).set('If-Match', '"another"').expect(412);
    expect(await events(id)).toEqual(['appointment.scheduled']);
    await put(id, 'reschedule', place).set('If-Match', etag).expect(200);
    await put(id, 'cancel', { patientid: patient }).set('If-Match', etag).expect(412);
  });

  it('is one of any chart of its person, and says so where it is somebody else’s', async () => {
    const { organizationId, patient, book, put } = await practice();
    const copy = (await createPatient(rows, { organizationId, enterpriseId: patient })).id;
    const other = (await createPatient(rows, { organizationId })).id;
    const id = await book('2031-03-03T09:00:00', { patient_id: copy });
    const refused = await put(id, 'cancel', { patientid: other }).expect(404);
    expect(refused.body.error).toBe('patientid: The appointment is not this patient’s.');
    await put(id, 'cancel', { patientid: patient }).expect(200);
  });

  it('has or had a day: one that never had any is not there', async () => {
    const { app, client, patient, put } = await practice();
    const id = (await app.post('/appointments').send({ patient_id: patient }).expect(200)).body.data.uuid;
    await client.get(`/appointments/${id}`).expect(404);
    await put(id, 'cancel', { patientid: patient }).expect(404);
    await put(id, 'reschedule', { patientid: patient, appointmentdate: '03/04/2031', appointmenttime: '09:00' }).expect(404);
    const lost = (await app.post('/appointments').send({ patient_id: patient, appointment_date: '2031-03-03T09:00:00' }).expect(200)).body
      .data;
    await app.put(`/appointments/${lost.uuid}`).send({ appointment_date: null }).expect(200);
    const place = { patientid: patient, appointmentdate: '03/04/2031', appointmenttime: '09:00' };
    expect((await put(lost.uuid, 'reschedule', place).expect(200)).body).toMatchObject([{ appointmentstatus: 'f', date: '03/04/2031' }]);
    await app.put(`/appointments/${lost.uuid}`).send({ appointment_date: null }).expect(200);
    await put(lost.uuid, 'cancel', { patientid: patient }).expect(200);
  });
});

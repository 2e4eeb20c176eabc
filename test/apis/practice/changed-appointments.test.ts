import { describe, expect, it } from 'vitest';
import { integrationClient, practiceClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createAppointmentType, createOffice, createPatient, createProvider } from '../../support/factories.ts';
import { changedIn, pollUntil, readPage, subscribed, waitUntil } from './changes.ts';

const test = await sharedTestApp();
const rows = test.database.prisma;
const app = await integrationClient(test);
const { organizationId } = app;
const another = (scopes?: string[]) => practiceClient(test, { organizationId, ...(scopes ? { scopes } : {}) });
const patient = (await createPatient(rows, { organizationId, firstName: 'Ann', lastName: 'Feed' })).id;

async function book(form: object = {}): Promise<number> {
  const answer = await app.post('/appointments').send({ appointment_date: '2027-03-01T09:30:00', patient_id: patient, ...form });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.uuid;
}

describe('GET /appointments/changed', () => {
  it('shows an appointment as public clients read it, and as it is after each change', async () => {
    const client = await another();
    await subscribed(client, 'appointments');
    const office = await createOffice(rows, { organizationId, name: 'North' });
    const type = await createAppointmentType(rows, { organizationId, name: 'Check-up', durationMinutes: 20 });
    const provider = await createProvider(rows, { organizationId });
    const nurse = await signedInUser(test, { organizationId });
    const made = await nurse.post('/appointments').send({
      appointment_date: '2027-03-01T09:30:00',
      patient_id: patient,
      office_id: office.id,
      appointment_type_id: type.id,
      provider_id: provider.id,
    });
    expect(made.status, made.text).toBeLessThan(300);
    const id = made.body.data.uuid;
    await waitUntil(client, 'appointments', 1);
    const { records, page } = await readPage(client, 'appointments');
    expect(page.totalcount).toBe(1);
    const stamp = expect.stringMatching(/^\d{2}\/\d{2}\/\d{4} \d{2}:\d{2}:\d{2}$/);
    const booked = {
      appointmentid: String(id),
      appointmentstatus: 'f',
      date: '03/01/2027',
      starttime: '09:30',
      duration: 20,
      appointmenttypeid: String(type.id),
      appointmenttype: 'Check-up',
      patientappointmenttypename: 'Check-up',
      departmentid: String(office.id),
      providerid: String(provider.id),
      patientid: String(patient),
      scheduledby: 'Una User',
      scheduleddatetime: stamp,
      lastmodified: stamp,
    };
    expect(records).toEqual([booked]);
    await app.put(`/appointments/${id}`).send({ appointment_date: '2027-03-02T14:00:00' }).expect(200);
    await waitUntil(client, 'appointments', 1);
    expect((await readPage(client, 'appointments')).records).toEqual([{ ...booked, date: '03/02/2027', starttime: '14:00' }]);
    await app.delete(`/appointments/${id}`);
    await waitUntil(client, 'appointments', 1);
    const cancelled = { ...booked, date: '03/02/2027', starttime: '14:00', appointmentstatus: 'x', cancelleddatetime: stamp };
    expect((await readPage(client, 'appointments')).records).toEqual([
      { ...cancelled, cancelreasonnoshow: false, cancelledby: expect.any(String) },
    ]);
    expect((await readPage(client, 'appointments', '?showprocessedstartdatetime=1/1/2000')).ids).toEqual([id]);
  });

  it('tells slots, bookings, changes and cancellations apart', async () => {
    const names = ['AddAppointmentSlot', 'ScheduleAppointment', 'UpdateAppointment', 'CancelAppointment'];
    const clients = await Promise.all(names.map(() => another()));
    for (const [index, client] of clients.entries()) await subscribed(client, 'appointments', { eventname: names[index] });
    const [slots, bookings, changes, cancellations] = clients;
    if (!slots || !bookings || !changes || !cancellations) throw new Error('there are four');
    const slot = await book({ patient_id: null });
    const booked = await book();
    expect(await pollUntil(slots, 'appointments', 1)).toEqual([slot]);
    expect((await readPage(slots, 'appointments', '?showprocessedstartdatetime=1/1/2000')).records).toMatchObject([
      { appointmentstatus: 'o', appointmenttypeid: '', departmentid: expect.stringMatching(/^\d+$/), providerid: '' },
    ]);
    expect(await pollUntil(bookings, 'appointments', 1)).toEqual([booked]);
    await app.put(`/appointments/${slot}`).send({ patient_id: patient }).expect(200);
    expect(await pollUntil(bookings, 'appointments', 1)).toEqual([slot]);
    expect(await pollUntil(changes, 'appointments', 1)).toEqual([slot]);
    await app.delete(`/appointments/${booked}`);
    expect(await pollUntil(cancellations, 'appointments', 1)).toEqual([booked]);
    for (const client of clients) expect(await changedIn(client, 'appointments')).toEqual([]);
  });

  it('tells of arrivals and departures', async () => {
    const [arrivals, departures] = [await another(), await another()];
    await subscribed(arrivals, 'appointments', { eventname: 'CheckIn' });
    await subscribed(departures, 'appointments', { eventname: 'CheckOut' });
    const id = await book();
    const set = (status: string) => app.post(`/appointments/${id}/status`).send({ status }).expect(200);
    await set('arrived');
    expect(await pollUntil(arrivals, 'appointments', 1)).toEqual([id]);
    await set('checked_out');
    expect(await pollUntil(departures, 'appointments', 1)).toEqual([id]);
    expect((await readPage(departures, 'appointments', '?showprocessedstartdatetime=1/1/2000')).records).toMatchObject([
      { appointmentstatus: '3' },
    ]);
    await set('arrived');
    for (const client of [arrivals, departures]) expect(await changedIn(client, 'appointments')).toEqual([]);
  });

  it('filters by department, patient and provider', async () => {
    const client = await another();
    await subscribed(client, 'appointments');
    const office = await createOffice(rows, { organizationId, name: 'South' });
    const provider = await createProvider(rows, { organizationId });
    const other = (await createPatient(rows, { organizationId })).id;
    const plain = await book({ patient_id: other });
    const placed = await book();
    await rows.appointment.updateMany({ where: { organizationId, id: placed }, data: { officeId: office.id, providerId: provider.id } });
    await waitUntil(client, 'appointments', 2);
    const look = (query: string) => changedIn(client, 'appointments', `?leaveunprocessed=true&${query}`);
    expect(await look(`departmentid=${office.id}`)).toEqual([placed]);
    expect(await look(`providerid[]=${provider.id}`)).toEqual([placed]);
    expect(await look(`patientid=${other}`)).toEqual([plain]);
    expect(await look(`patientid=${patient},${other}`)).toEqual([plain, placed]);
    expect(await look(`patientid=${other}&departmentid=${office.id}`)).toEqual([]);
    expect(await changedIn(client, 'appointments', `?patientid=${other}`)).toEqual([plain]);
    expect(await changedIn(client, 'appointments')).toEqual([placed]);
  });

  it('names no restricted patient to a client that may not see them', async () => {
    const [plain, trusted] = [await another(), await another(['practice.read', 'restricted.read'])];
    for (const client of [plain, trusted]) await subscribed(client, 'appointments');
    const hidden = (await createPatient(rows, { organizationId, lastName: 'Hidden' })).id;
    const id = await book({ patient_id: hidden });
    await rows.privacyRestriction.create({ data: { organizationId, patientId: hidden, kind: 'record' } });
    await waitUntil(plain, 'appointments', 1);
    expect(await changedIn(plain, 'appointments', `?patientid=${hidden}`)).toEqual([]);
    expect((await readPage(plain, 'appointments')).records).toMatchObject([
      { appointmentid: String(id), appointmentstatus: 'f', patientid: '' },
    ]);
    await waitUntil(trusted, 'appointments', 1);
    expect((await readPage(trusted, 'appointments', `?patientid=${hidden}`)).records).toMatchObject([{ patientid: String(hidden) }]);
  });

  it('shows wall times of the appointment, and stamps on the clocks of the East, at both clock changes', async () => {
    const client = await another();
    await subscribed(client, 'appointments');
    const spring = await book({ appointment_date: '2027-03-14T03:30:00', appointment_timezone: 'America/Chicago' });
    const fall = await book({ appointment_date: '2027-11-07T01:30:00' });
    const stamps = ['2027-03-14T06:59:59Z', '2027-03-14T07:00:00Z', '2027-11-07T05:30:00Z', '2027-11-07T06:30:00Z'] as const;
    const set = (id: number, createdAt: string, updatedAt: string) =>
      rows.appointment.updateMany({ where: { organizationId, id }, data: { createdAt, updatedAt } });
    await set(spring, stamps[0], stamps[1]);
    await set(fall, stamps[2], stamps[3]);
    await waitUntil(client, 'appointments', 2);
    expect((await readPage(client, 'appointments')).records).toMatchObject([
      { date: '03/14/2027', starttime: '03:30', scheduleddatetime: '03/14/2027 01:59:59', lastmodified: '03/14/2027 03:00:00' },
      { date: '11/07/2027', starttime: '01:30', scheduleddatetime: '11/07/2027 01:30:00', lastmodified: '11/07/2027 01:30:00' },
    ]);
  });

  it('keeps an appointment without a day until it has one', async () => {
    const client = await another();
    await subscribed(client, 'appointments');
    const id = await book({ appointment_date: undefined });
    const dated = await book();
    expect(await pollUntil(client, 'appointments', 1)).toEqual([dated]);
    await app.put(`/appointments/${id}`).send({ appointment_date: '2027-04-01T10:00:00' }).expect(200);
    expect(await pollUntil(client, 'appointments', 1)).toEqual([id]);
  });
});

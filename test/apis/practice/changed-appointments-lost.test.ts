import { describe, expect, it } from 'vitest';
import { operator } from '../../../src/domain/caller.ts';
import { addRestriction, endRestriction } from '../../../src/domain/patients/restrictions/patient-restrictions.ts';
import { createUnitOfWork } from '../../../src/domain/unit-of-work/unit-of-work.ts';
import { integrationClient, practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOrganization, createPatient } from '../../support/factories.ts';
import { changedIn, pollUntil, readPage, subscribed, waitUntil } from './changes.ts';

const test = await sharedTestApp();
const rows = test.database.prisma;
const unitOfWork = createUnitOfWork(test.database);

/** A practice with a patient, an app that books, and practice systems with a subscription to some changes each, or to all. */
async function practice(...names: (string | null)[]) {
  const { id: organizationId } = await createOrganization(rows);
  const app = await integrationClient(test, { organizationId });
  const patient = (await createPatient(rows, { organizationId })).id;
  const clients: Awaited<ReturnType<typeof practiceClient>>[] = [];
  for (const name of names) {
    const client = await practiceClient(test, { organizationId });
    await subscribed(client, 'appointments', name === null ? {} : { eventname: name });
    clients.push(client);
  }
  const book = async (form: object = {}): Promise<number> => {
    const answer = await app.post('/appointments').send({ appointment_date: '2031-03-03T09:30:00', patient_id: patient, ...form });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data.uuid;
  };
  const change = (id: number, form: object) => app.put(`/appointments/${id}`).send(form).expect(200);
  const [one, two, three, four] = clients;
  if (!one) throw new Error('somebody must listen');
  return { organizationId, app, patient, book, change, one, two: two ?? one, three: three ?? one, four: four ?? one };
}

const STAMP = expect.stringMatching(/^\d{2}\/\d{2}\/\d{4} \d{2}:\d{2}:\d{2}$/);
const GONE = { appointmentstatus: 'x', date: '', starttime: '', cancelleddatetime: STAMP, cancelreasonnoshow: false };

describe('An appointment that loses its day', () => {
  it.each([
    ['a booked one', {}],
    ['a slot', { patient_id: null }],
  ])('is told as cancelled, and again when it gets another: %s', async (_which, form) => {
    const { book, change, one } = await practice(null);
    const id = await book(form);
    expect(await pollUntil(one, 'appointments', 1)).toEqual([id]);
    await change(id, { appointment_date: null });
    await waitUntil(one, 'appointments', 1);
    const gone = { ...GONE, appointmentid: String(id) };
    expect((await readPage(one, 'appointments', '?leaveunprocessed=true')).records).toEqual([expect.objectContaining(gone)]);
    expect((await readPage(one, 'appointments')).records).toMatchObject([gone]);
    expect((await readPage(one, 'appointments', '?showprocessedstartdatetime=1/1/2000')).records).toMatchObject([gone]);
    expect((await one.get(`/appointments/${id}`).expect(200)).body).toMatchObject([gone]);
    await change(id, { appointment_date: '2031-03-04T10:00:00' });
    await waitUntil(one, 'appointments', 1);
    const [dated] = (await readPage(one, 'appointments')).records;
    expect(dated).toMatchObject({ date: '03/04/2031', starttime: '10:00' });
    expect(dated).not.toHaveProperty('cancelleddatetime');
  });

  it('is told when it is cancelled afterwards, whether its client was told before or not', async () => {
    const { app, book, change, one, two } = await practice(null, null);
    const id = await book();
    for (const client of [one, two]) expect(await pollUntil(client, 'appointments', 1)).toEqual([id]);
    await change(id, { appointment_date: null });
    expect(await pollUntil(one, 'appointments', 1)).toEqual([id]);
    await app.delete(`/appointments/${id}`).expect(200);
    for (const client of [one, two]) {
      await waitUntil(client, 'appointments', 1);
      expect((await readPage(client, 'appointments')).records).toMatchObject([{ ...GONE, appointmentid: String(id) }]);
    }
  });

  it('is told to those who follow changes, or cancellations; and with another day to those who follow bookings, or slots', async () => {
    const names = ['UpdateAppointment', 'CancelAppointment', 'ScheduleAppointment', 'AddAppointmentSlot'];
    const { book, change, one: changes, two: cancellations, three: bookings, four: slots } = await practice(...names);
    const booked = await book();
    const slot = await book({ patient_id: null });
    expect(await pollUntil(bookings, 'appointments', 1)).toEqual([booked]);
    expect(await pollUntil(slots, 'appointments', 1)).toEqual([slot]);
    for (const id of [booked, slot]) await change(id, { appointment_date: null });
    for (const client of [changes, cancellations]) expect(await pollUntil(client, 'appointments', 2)).toEqual([booked, slot]);
    for (const client of [bookings, slots]) expect(await changedIn(client, 'appointments')).toEqual([]);
    for (const id of [booked, slot]) await change(id, { appointment_date: '2031-03-04T10:00:00' });
    expect(await pollUntil(changes, 'appointments', 2)).toEqual([booked, slot]);
    expect(await pollUntil(bookings, 'appointments', 1)).toEqual([booked]);
    expect(await pollUntil(slots, 'appointments', 1)).toEqual([slot]);
    expect(await changedIn(cancellations, 'appointments')).toEqual([]);
  });

  it('and never had one stays untold, also when it is cancelled, or when others lose theirs', async () => {
    const { app, book, change, one } = await practice(null);
    const [never, cancelled] = [await book({ appointment_date: undefined }), await book({ appointment_date: null })];
    await app.delete(`/appointments/${cancelled}`).expect(200);
    const other = await book();
    // The booking and its change may be told together or one after the other, so each is waited for.
    expect(await pollUntil(one, 'appointments', 1)).toEqual([other]);
    await change(other, { appointment_date: null });
    expect(await pollUntil(one, 'appointments', 1)).toEqual([other]);
    expect(await changedIn(one, 'appointments')).toEqual([]);
    await one.get(`/appointments/${never}`).expect(404);
  });
});

describe('An appointment that loses its patient', () => {
  it('is told to those who follow cancellations, or slots; with another patient, to those who follow changes or bookings', async () => {
    const names = ['UpdateAppointment', 'CancelAppointment', 'ScheduleAppointment', 'AddAppointmentSlot'];
    const { organizationId, book, change, one: changes, two: cancellations, three: bookings, four: slots } = await practice(...names);
    const id = await book();
    expect(await pollUntil(bookings, 'appointments', 1)).toEqual([id]);
    await change(id, { patient_id: (await createPatient(rows, { organizationId })).id });
    for (const client of [changes, bookings]) expect(await pollUntil(client, 'appointments', 1)).toEqual([id]);
    for (const client of [cancellations, slots]) expect(await changedIn(client, 'appointments')).toEqual([]);
    await change(id, { patient_id: null });
    for (const client of [changes, cancellations, slots]) {
      await waitUntil(client, 'appointments', 1);
      expect((await readPage(client, 'appointments')).records).toMatchObject([{ appointmentid: String(id), appointmentstatus: 'o' }]);
    }
    expect(await changedIn(bookings, 'appointments')).toEqual([]);
  });
});

describe('A restriction that is lifted', () => {
  it('tells the coming and recent appointments of all charts of the person again, with their patient', async () => {
    const { organizationId, patient, book, one, two: bookings } = await practice('UpdateAppointment', 'ScheduleAppointment');
    const copy = (await createPatient(rows, { organizationId, enterpriseId: patient })).id;
    const restricted = await unitOfWork.write(operator(organizationId, 'test'), (tx) => addRestriction(tx, patient, { kind: 'record' }));
    const daysAgo = (days: number) => `${new Date(Date.now() - days * 24 * 3_600_000).toISOString().slice(0, 10)}T12:00:00`;
    const system = await integrationClient(test, { organizationId, scopes: ['integration.read', 'integration.write', 'restricted.read'] });
    const ids: number[] = [];
    for (const [date, of] of [
      ['2031-03-03T09:30:00', patient],
      ['2031-03-04T09:30:00', copy],
      [daysAgo(20), patient],
      [daysAgo(40), patient],
      [null, patient],
    ] as const)
      ids.push((await system.post('/appointments').send({ appointment_date: date, patient_id: of }).expect(200)).body.data.uuid);
    await book({ patient_id: (await createPatient(rows, { organizationId })).id });
    await waitUntil(bookings, 'appointments', 5);
    expect((await readPage(bookings, 'appointments')).records.slice(0, 4).map(({ patientid }) => patientid)).toEqual(['', '', '', '']);
    expect(await changedIn(one, 'appointments')).toEqual([]);
    await unitOfWork.write(operator(organizationId, 'test'), (tx) => endRestriction(tx, patient, restricted.id));
    await waitUntil(one, 'appointments', 3);
    expect((await readPage(one, 'appointments')).records.map(({ appointmentid, patientid }) => [appointmentid, patientid])).toEqual([
      [String(ids[0]), String(patient)],
      [String(ids[1]), String(copy)],
      [String(ids[2]), String(patient)],
    ]);
    expect(await changedIn(bookings, 'appointments')).toEqual([]);
  });
});

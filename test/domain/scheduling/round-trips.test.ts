import { expect, it } from 'vitest';
import { integrationClient, practiceClient, signedInUser } from '../../support/actors.ts';
import { ownTestApp } from '../../support/app.ts';
import { createOffice, createPatient, createUser } from '../../support/factories.ts';
import { recordFlushes } from '../../support/flushes.ts';
import { createAppointment } from '../../support/schedule.ts';

const test = await ownTestApp();

const booking = async ({ doubleBooking }: { doubleBooking: 'allow' | 'refuse' }) => {
  const clinic = await integrationClient(test, { organization: { doubleBooking } });
  const { organizationId } = clinic;
  const { prisma } = test.database;
  const { id: office_id } = await createOffice(prisma, { organizationId });
  const { id: patient_id } = await createPatient(prisma, { organizationId });
  const { user } = await createUser(prisma, { organizationId });
  const book = (appointment_date: string) =>
    clinic.post('/appointments').send({ appointment_date, patient_id, office_id, user: [user.id] });
  const { uuid } = (await book('2031-03-04T08:00:00')).body.data;
  return { clinic, book, path: `/appointments/${uuid}` };
};

it('an appointment is booked and moved in three round trips, and cancelled in two', async () => {
  const { clinic, book, path } = await booking({ doubleBooking: 'allow' });
  expect(await recordFlushes(async () => book('2031-03-04T09:00:00').set('idempotency-key', 'booked'))).toEqual([
    ['begin', 'claim_key', 'hold_chart', 'booking_context', 'appointment_id'],
    ['insert_appointment', 'add_participants', 'visit_facts'],
    ['journal', 'commit'],
  ]);
  expect(await recordFlushes(async () => clinic.put(path).send({ appointment_date: '2031-03-05T09:00:00' }))).toEqual([
    ['begin', 'lock_appointment', 'change_context'],
    ['update_appointment', 'visit_facts'],
    ['journal', 'commit'],
  ]);
  expect(await recordFlushes(async () => clinic.delete(path))).toEqual([
    ['begin', 'lock_appointment', 'texts_wait'],
    ['update_appointment', 'keep_status_changes', 'journal', 'commit'],
  ]);
});

it('where double booking is refused, the calendars of the participants take a round trip more', async () => {
  const { book } = await booking({ doubleBooking: 'refuse' });
  expect(await recordFlushes(async () => book('2031-03-04T09:00:00'))).toEqual([
    ['begin', 'hold_chart', 'booking_context', 'appointment_id'],
    ['lock_calendars', 'overlap', 'claimed_time'],
    ['insert_appointment', 'add_participants', 'visit_facts'],
    ['journal', 'commit'],
  ]);
});

it('a confirmation by a user takes three round trips: the response says whether the patient gets texts', async () => {
  const user = await signedInUser(test);
  const { id: patient_id } = await createPatient(test.database.prisma, { organizationId: user.organizationId });
  const { uuid } = (await user.post('/appointments/').send({ appointment_date: '2031-03-04T09:00:00', patient_id })).body.data;
  expect(await recordFlushes(async () => user.post(`/appointments/${uuid}`).send({ confirmation: 'Yes' }))).toEqual([
    ['begin', 'lock_appointment', 'change_context'],
    ['update_appointment', 'texting_facts', 'series_of_visits'],
    ['journal', 'commit'],
  ]);
});

it('a practice system moves and cancels an appointment of a patient in four and three round trips', async () => {
  const system = await practiceClient(test);
  const { organizationId } = system;
  const { id: patientid } = await createPatient(test.database.prisma, { organizationId });
  const { id } = await createAppointment(test.database.prisma, { organizationId, startsAt: '2031-03-04T14:00:00Z', patientId: patientid });
  const form = { patientid, appointmentdate: '06/01/2031', appointmenttime: '09:30' };
  expect(await recordFlushes(async () => system.put(`/appointments/${id}/reschedule`).type('form').send(form))).toEqual([
    ['begin', 'lock_appointment', 'charts_of_booking', 'change_context'],
    ['update_appointment', 'visit_facts'],
    ['appointment_records'],
    ['journal', 'commit'],
  ]);
  expect(await recordFlushes(async () => system.put(`/appointments/${id}/cancel`).type('form').send({ patientid }))).toEqual([
    ['begin', 'lock_appointment', 'charts_of_booking'],
    ['lock_appointment', 'texts_wait'],
    ['update_appointment', 'keep_status_changes', 'journal', 'commit'],
  ]);
});

import { type Ask, readId } from './recorder.ts';

/** People and places that appointments name. */
export interface Booked {
  patient: number;
  user: number;
}

const ONE = { limit: 1 };
/** Days that hold all appointments of the demo practices, whenever they are made. */
const DAYS = { min_appointment_date: '2020-01-01', max_appointment_date: '2099-12-31' };

/** Appointments, their types and their participants. */
export async function schedulingExamples(ask: Ask, { patient, user }: Booked): Promise<number> {
  const type = readId(await ask('listAppointmentTypes', { query: ONE }));
  const made = readId(await ask('createAppointmentType', { body: { name: 'Hearing test', duration_minutes: 20, active: 1 } }));
  await ask('getAppointmentType', { path: { uuid: made } });
  await ask('updateAppointmentType', { path: { uuid: made }, body: { duration_minutes: 30 } });
  await ask('deleteAppointmentType', { path: { uuid: made } });

  const uuid = readId(
    await ask('createAppointment', {
      body: { appointment_type_id: type, patient_id: patient, appointment_date: '2031-03-12T14:30:00Z', confirmation: 'Pending' },
    }),
  );
  await ask('getAppointment', { path: { uuid } });
  await ask('saveAppointment', { path: { uuid }, body: { confirmation: 'Yes' } });
  await ask('setAppointmentStatus', { path: { uuid }, body: { status: 'arrived' } });
  await ask('listOwnAppointments', { query: { ...DAYS, ...ONE } });
  await ask('listAppointments', { query: { ...DAYS, ...ONE } });
  await ask('searchAppointments', { query: { ...DAYS, ...ONE } });
  await ask('listAppointmentsOfPatient', { path: { uuid: patient }, query: ONE });
  await ask('listAppointmentsByStatus', { query: { status: 'Yes', ...DAYS, ...ONE } });
  await ask('listAppointmentStatuses', { query: { ...DAYS, ...ONE } });
  await ask('getConfirmedPercentage', { query: DAYS });
  await ask('listTimeZones', { query: { limit: 2 } });

  await ask('createUserAppointment', { body: { user_id: user, appointment_id: uuid } });
  await ask('listUserAppointments', { query: ONE });
  await ask('searchUserAppointments', { query: { ...DAYS, ...ONE } });
  await ask('listOwnUserAppointments', { query: { ...DAYS, ...ONE } });
  await ask('listUserAppointmentsOfUser', { path: { uuid: user }, query: ONE });
  return uuid;
}

/** Hours of a provider, what differs from them, and a slot that is held. */
export async function slotExamples(ask: Ask): Promise<void> {
  const provider_id = readId(await ask('listProviders', { query: ONE }));
  const office_id = readId(await ask('listOffices', { query: ONE }));
  const hours = {
    provider_id,
    office_id,
    weekday: 1,
    from: '09:00',
    until: '12:00',
    starts_on: '2031-03-03',
    bookable_by: ['staff', 'patient'],
  };
  const uuid = readId(await ask('createAvailability', { body: hours }));
  await ask('getAvailability', { path: { uuid } });
  await ask('updateAvailability', { path: { uuid }, body: { until: '13:00' } });
  const leave = { provider_id, from: '2031-03-10', until: '2031-03-10', reason: 'Conference' };
  const exception = { path: { uuid: readId(await ask('createAvailabilityException', { body: leave })) } };
  await ask('getAvailabilityException', exception);
  await ask('updateAvailabilityException', { ...exception, body: { until: '2031-03-11' } });
  await ask('listAvailabilityExceptions', { query: ONE });
  const days = { provider: provider_id, from: '2031-03-03', until: '2031-03-10' };
  const slot = readId(await ask('listSlots', { query: { ...days, ...ONE } }));
  const hold = readId(await ask('holdSlot', { body: { slot, minutes: 10 } }));
  await ask('releaseHold', { path: { uuid: hold } });
  await ask('deleteAvailabilityException', exception);
  await ask('deleteAvailability', { path: { uuid } });
}

/** A patient who waits for a time, and one who books at a link. */
export async function waitlistExamples(ask: Ask, patient: number): Promise<void> {
  const type = readId(await ask('listAppointmentTypes', { query: ONE }));
  const wanted = { weekdays: [1, 3], until: '12:00', latest: '2031-03-31', waits_until: '2031-03-20', priority: 'HIGH', channel: 'text' };
  const path = { uuid: readId(await ask('createWaitlistEntry', { body: { patient_id: patient, appointment_type_id: type, ...wanted } })) };
  await ask('getWaitlistEntry', { path });
  await ask('updateWaitlistEntry', { path, body: { weekdays: [] } });
  await ask('listWaitlist', { query: ONE });
  await ask('reportWaitlist', { query: { from: '2026-01-01' } });
  await ask('deleteWaitlistEntry', { path });
  const link = readId(await ask('createBookingLink', { path: { uuid: patient }, body: { appointment_type_ids: [type], days: 7 } }));
  await ask('listBookingLinks', { path: { uuid: patient }, query: ONE });
  await ask('revokeBookingLink', { path: { uuid: patient, link } });
}

/** Recurring visits of a patient. */
export async function seriesExamples(ask: Ask, patient_id: number): Promise<void> {
  const series = { patient_id, appointment_date: '2031-03-03T09:00:00', duration_minutes: 30, rrule: 'FREQ=WEEKLY;COUNT=3' };
  const path = { uuid: readId(await ask('createAppointmentSeries', { body: series })) };
  await ask('getAppointmentSeries', { path });
  await ask('listAppointmentSeries', { query: { patient: patient_id, ...ONE } });
  await ask('updateAppointmentSeries', { path, body: { scope: 'all', appointment_date: '2031-03-03T10:00:00' } });
  await ask('cancelAppointmentSeries', { path, query: { scope: 'all' } });
}

/** Moves an appointment from one user to another, and cancels it. */
export async function cancellationExamples(ask: Ask, uuid: number, { from, to }: { from: number; to: number }): Promise<void> {
  await ask('moveUserAppointment', { path: { uuid: to }, body: { appointment_id: uuid, from_user_id: from } });
  await ask('deleteUserAppointment', { path: { uuid: to }, query: { appointment_id: uuid } });
  await ask('cancelAppointment', { path: { uuid } });
}

import { type Ask, idOf } from './recorder.ts';

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
  const type = idOf(await ask('listAppointmentTypes', { query: ONE }));
  const made = idOf(await ask('createAppointmentType', { body: { name: 'Hearing test', duration_minutes: 20, active: 1 } }));
  await ask('getAppointmentType', { path: { uuid: made } });
  await ask('updateAppointmentType', { path: { uuid: made }, body: { duration_minutes: 30 } });
  await ask('deleteAppointmentType', { path: { uuid: made } });

  const uuid = idOf(
    await ask('createAppointment', {
      body: { appointment_type_id: type, patient_id: patient, appointment_date: '2031-03-12T14:30:00Z', confirmation: 'Pending' },
    }),
  );
  await ask('getAppointment', { path: { uuid } });
  await ask('saveAppointment', { path: { uuid }, body: { confirmation: 'Yes' } });
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

/** Moves an appointment from one user to another, and cancels it. */
export async function cancellationExamples(ask: Ask, uuid: number, { from, to }: { from: number; to: number }): Promise<void> {
  await ask('moveUserAppointment', { path: { uuid: to }, body: { appointment_id: uuid, from_user_id: from } });
  await ask('deleteUserAppointment', { path: { uuid: to }, query: { appointment_id: uuid } });
  await ask('cancelAppointment', { path: { uuid } });
}

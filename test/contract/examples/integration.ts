import { type Ask, readId } from './recorder.ts';

/** An example of each operation of the integration API, as a system calls it that books appointments for a practice. */
export async function integrationExamples(ask: Ask): Promise<void> {
  const type = readId(await ask('listAppointmentTypes', { query: { limit: 1 } }));
  const made = readId(
    await ask('createAppointmentType', { body: { name: 'Nutrition visit', description: 'First visit with the dietitian', active: 1 } }),
  );
  await ask('updateAppointmentType', { body: { uuid: made, name: 'Nutrition visit', description: 'Any visit with the dietitian' } });
  await ask('updateAppointmentTypeById', { path: { uuid: made }, body: { name: 'Diet visit' } });
  await ask('getClientUser');

  const patient = readId(
    await ask('createPatient', {
      body: {
        firstname: 'Ana',
        lastname: 'Example',
        dob: '1980-02-29',
        address: { address: '12 Sample Street', city: 'Raleigh', state: 'NC', zip: '27601' },
        email: 'ana@example.com',
        phone_no: '9195550188',
        med_rec_no: 'EX-1001',
      },
    }),
  );
  await ask('updatePatient', { path: { uuid: patient }, body: { phone_no: '9195550189' } });
  await ask('listPatients', { query: { lastname: 'Example', dob: '1980-02-29', limit: 1 } });
  await ask('getPatientById', { path: { uuid: patient } });
  await ask('getPatientByMedicalRecordNumber', { path: { mrn: 'EX-1001' } });

  const appointment = await ask('createAppointment', {
    body: { patient_id: patient, appointment_type_id: type, appointment_date: '2031-03-12T14:30:00Z', duration_minutes: 30 },
  });
  const uuid = readId(appointment);
  const slot = readId(await ask('listSlots', { query: { from: '2031-03-01', limit: 1 } }));
  await ask('holdSlot', { body: { slot } });
  await ask('listAppointments', { query: { from: '2031-03-01', limit: 1 } });
  await ask('updateAppointment', { path: { uuid }, body: { appointment_date: '2031-03-13T15:00:00Z' } });
  await ask('setAppointmentStatus', { path: { uuid }, body: { status: 'arrived' } });
  await ask('getAppointment', { path: { uuid } });
  await ask('cancelAppointment', { path: { uuid } });
}

import { z } from 'zod';
import { type Ask, valueAt } from './recorder.ts';

/** An example of each operation of the practice API, as a practice's front desk calls it. */
export async function practiceExamples(ask: Ask): Promise<void> {
  const departments = await ask('listDepartments', { query: { providerlist: true, limit: 1 } });
  const departmentid = Number(valueAt(departments, 'departments', '0', 'departmentid'));
  await ask('getDepartment', { path: { departmentid: String(departmentid) }, query: { providerlist: false } });
  await askAboutSubscriptions(ask);
  const registered = await ask('registerPatient', {
    body: {
      firstname: 'Ben',
      lastname: 'Example',
      dob: '07/04/1975',
      departmentid,
      sex: 'M',
      address1: '14 Sample Street',
      city: 'Raleigh',
      state: 'NC',
      zip: '27601',
      mobilephone: '9195550190',
      race: ['2106-3'],
    },
  });
  await ask('searchPatients', { query: { lastname: 'Example', limit: 1 } });
  await ask('getPatient', {
    path: { patientId: valueAt(registered, '0', 'patientid') },
    query: { showinsurance: true, showportalstatus: true },
  });
  const providerId = Number(valueAt(departments, 'departments', '0', 'providerlist', '0'));
  await ask('getProvider', { path: { providerId }, query: { showfederalidnumber: 0 } });
  const types = await ask('listAppointmentTypes', { query: { limit: 2 } });
  await ask('getAppointmentType', { path: { appointmenttypeid: valueAt(types, 'appointmenttypes', '0', 'appointmenttypeid') } });
  await ask('updatePatient', { path: { patientId: valueAt(registered, '0', 'patientid') }, body: { address2: 'Suite 4' } });
  await ask('listChangedPatients', { query: { limit: 1 }, until: (page) => valueAt(page, 'totalcount') === 1 });
  await ask('listChangedAppointments', { query: { departmentid, leaveunprocessed: true } });
  await ask('listChangedProviders', { query: { leaveunprocessed: true } });
  await askAboutOpenTimes(ask, { departmentid, providerid: providerId, patientid: Number(valueAt(registered, '0', 'patientid')) });
  await askAboutAppointments(ask);
  await askAboutCharts(ask, Number(valueAt(registered, '0', 'patientid')), departmentid);
  await ask('deletePatientChangeSubscription', { body: { eventname: 'AddPatient' } });
  await ask('deleteAppointmentChangeSubscription', { body: { eventname: 'AddAppointmentSlot' } });
  await ask('deleteProviderChangeSubscription', { body: { eventname: 'ProviderUpdate' } });
}

const bookedList = z.looseObject({
  appointments: z.array(z.looseObject({ appointmentid: z.string(), patientid: z.string(), departmentid: z.string() })),
});

const openedTimes = z.looseObject({ appointmentids: z.record(z.string(), z.string()) });

/** A time that is opened, frozen and booked. */
async function askAboutOpenTimes(ask: Ask, { patientid, ...place }: { departmentid: number; providerid: number; patientid: number }) {
  const [type] = openTypes.parse(await ask('listAppointmentTypes', { query: { limit: 2 } })).appointmenttypes;
  const time = { appointmentdate: '06/01/2040', appointmenttime: '09:30', appointmenttypeid: Number(type?.appointmenttypeid) };
  const opened = openedTimes.parse(await ask('createOpenAppointments', { body: { ...place, ...time } }));
  const path = { appointmentId: Number(Object.keys(opened.appointmentids)[0]) };
  const days = { startdate: '06/01/2040', enddate: '06/07/2040' };
  await ask('listOpenAppointments', {
    query: { departmentid: place.departmentid, appointmenttypeid: time.appointmenttypeid, ...days, limit: 1 },
  });
  await ask('freezeAppointment', { path, body: { freeze: true } });
  await ask('freezeAppointment', { path, body: { freeze: false } });
  await ask('bookAppointment', { path, body: { patientid } });
  const wanted = {
    patientid,
    appointmenttypeid: time.appointmenttypeid,
    departmentid: place.departmentid,
    dayofweekids: [2, 4],
    hourto: 11,
  };
  const waitlistId = Number(valueAt(await ask('createWaitlistEntry', { body: wanted }), 'waitlistid'));
  await ask('updateWaitlistEntry', { path: { waitlistId }, body: { priority: 'HIGH' } });
  await ask('listWaitlist', { query: { limit: 1 } });
  await ask('deleteWaitlistEntry', { path: { waitlistId } });
}

const openTypes = z.looseObject({ appointmenttypes: z.array(z.looseObject({ appointmenttypeid: z.number() })) });

/** The appointments of the demo, one of which is moved and cancelled. */
async function askAboutAppointments(ask: Ask): Promise<void> {
  const days = { startdate: '01/01/2020', enddate: '12/31/2040' };
  await ask('listBookedAppointments', { query: { ...days, limit: 1 } });
  await ask('listBookedAppointmentsOfDepartments', { query: { ...days, departmentid: 1, limit: 1 } });
  const { appointments } = bookedList.parse(await ask('listBookedAppointments', { query: { ...days, appointmentstatus: 'f' } }));
  // Restricted charts are not named, and the first ones to come change with the time of day.
  const booked = appointments.find(({ patientid, departmentid }) => patientid !== '' && departmentid === '1');
  const patientid = Number(booked?.patientid);
  const path = { appointmentId: Number(booked?.appointmentid) };
  await ask('getAppointment', { path });
  await ask('listPatientAppointments', { path: { patientId: patientid }, query: { showpast: true, limit: 1 } });
  await ask('confirmAppointment', { path, body: { patientid, confirmation: 'Yes' } });
  await ask('rescheduleAppointment', { path, body: { patientid, appointmentdate: '06/01/2040', appointmenttime: '09:30' } });
  await ask('updateBookedAppointment', { path, body: { departmentid: Number(booked?.departmentid) } });
  await ask('addAppointmentNote', { path, body: { notetext: 'Needs a ramp' } });
  const noteId = Number(valueAt(await ask('listAppointmentNotes', { path }), 'notes', '0', 'noteid'));
  await ask('updateAppointmentNote', { path: { ...path, noteId }, body: { displayonschedule: true } });
  await ask('deleteAppointmentNote', { path: { ...path, noteId }, body: { noteid: noteId } });
  for (const step of ['startCheckIn', 'checkIn', 'cancelCheckIn']) await ask(step, { path, body: { appointmentid: path.appointmentId } });
  await ask('cancelAppointment', { path, body: { patientid, cancellationreason: 'Moved away' } });
  const other = appointments.find(({ appointmentid }) => appointmentid !== booked?.appointmentid);
  const here = { appointmentId: Number(other?.appointmentid) };
  for (const step of ['checkIn', 'checkOut']) await ask(step, { path: here, body: { appointmentid: here.appointmentId } });
  const reminder = { departmentid: 1, patientid, approximatedate: '06/27/2040', note: 'Yearly check-up' };
  const reminderId = Number(valueAt(await ask('addAppointmentReminder', { body: reminder }), 'appointmentreminderid'));
  await ask('listAppointmentReminders', { query: { departmentid: 1, startdate: '06/01/2040', enddate: '06/30/2040' } });
  await ask('getAppointmentReminder', { path: { reminderId } });
  await ask('deleteAppointmentReminder', { path: { reminderId } });
  await ask('listPatientAppointmentReasons', { query: { departmentid: 1, providerid: 1, limit: 2 } });
  await ask('listFieldsRequiredAtCheckIn', { path: { departmentid: '1' } });
}

/** The smallest picture there is. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** What a chart has beside its fields. */
async function askAboutCharts(ask: Ask, patientId: number, departmentid: number): Promise<void> {
  const path = { patientId };
  await ask('findBestMatch', { query: { firstname: 'Ben', lastname: 'Example', dob: '07/04/1975', zip: '27601' } });
  const fields = await ask('listCustomFields');
  const customfieldid = String(valueAt(fields, '0', 'customfieldid'));
  const customfields = JSON.stringify([{ customfieldid, customfieldvalue: 'Yes' }]);
  await ask('updatePatientCustomFields', { path, body: { departmentid, customfields } });
  await ask('listPatientCustomFields', { path });
  await ask('setPatientPhoto', { path, body: { image: PNG } });
  await ask('getPatientPhoto', { path });
  await ask('deletePatientPhoto', { path });
  await ask('verifyPrivacyInformation', { path, body: { departmentid, privacynotice: true, expirationdate: '12/31/2040' } });
  const plan = { insurancepackageid: 2014, insuranceplanname: 'Evergreen PPO' };
  const insuranceId = Number(
    valueAt(await ask('addInsurance', { path, body: { ...plan, insuranceidnumber: 'W1234567' } }), '0', 'insuranceid'),
  );
  await ask('addInsurance', { path, body: { ...plan, insuranceidnumber: 'W7654321', sequencenumber: 2 } });
  await ask('listInsurances', { path, query: { limit: 1 } });
  await ask('searchInsurancePackages', { query: { insuranceplanname: 'evergreen', limit: 1 } });
  await ask('updateInsuranceByPlace', { path, body: { sequencenumber: 2, newsequencenumber: 3 } });
  await ask('cancelInsuranceByPlace', { path, body: { sequencenumber: 3 } });
  const one = { path: { patientId, insuranceId } };
  await ask('updateInsurance', { ...one, body: { eligibilitystatus: 'Eligible' } });
  await ask('addInsuranceCard', { ...one, body: { image: PNG } });
  await ask('setInsuranceCard', { ...one, body: { image: PNG } });
  await ask('getInsuranceCard', one);
  await ask('deleteInsuranceCard', one);
  await ask('cancelInsurance', { ...one, body: { cancellationnote: 'The plan ended' } });
  await ask('reactivateInsurance', { ...one, body: { expirationdate: '12/31/2040' } });
}

/** The subscriptions of a client that follows what changes. */
async function askAboutSubscriptions(ask: Ask): Promise<void> {
  for (const one of ['Patient', 'Appointment', 'Provider']) await ask(`list${one}ChangeEvents`);
  await ask('createPatientChangeSubscription', { body: { eventname: 'AddPatient' } });
  await ask('createAppointmentChangeSubscription', { body: { includeremindercall: true } });
  await ask('createProviderChangeSubscription', { body: { eventname: 'ProviderUpdate' } });
  for (const one of ['Patient', 'Appointment', 'Provider']) await ask(`get${one}ChangeSubscription`);
}

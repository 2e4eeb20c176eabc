import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from '../apis/mobile/messaging/attachments/uploading.ts';

const IMAGE = Buffer.from(PNG).toString('base64');
const PICTURE = new Blob([new Uint8Array(PNG)]);
const RECORDING = new Blob([new Uint8Array(readFileSync(join(import.meta.dirname, '../../prisma/seed/media/recording.webm')))]);

/** A public key of a device. */
export const BASE_POINT = 'BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU';

/** The day of the appointments that the rows hold, of any patient. */
const BOOKED = {
  startdate: '01/15/2031',
  enddate: '01/15/2031',
  showcancelled: 'true',
  appointmentstatus: 'f,x,2,3,o',
  startlastmodified: '01/01/2001',
  endlastmodified: '01/01/2041',
  scheduledstartdate: '01/01/2001',
  scheduledenddate: '01/01/2041',
};

/** The optional blocks of a patient record, which should be tested too. */
const SECTIONS = {
  showallclaims: 'true',
  showallpatientdepartmentstatus: 'true',
  showbalancedetails: 'true',
  showcustomfields: 'true',
  showfullssn: 'true',
  showinsurance: 'true',
  showlocalpatientid: 'true',
  showportalstatus: 'true',
};

const AS_SHOWN = { insuranceid: undefined, insurancepolicyholder: undefined, cancelled: undefined };
const HANDED_OUT = { showprocessedstartdatetime: '01/15/2026', showprocessedenddatetime: '01/15/2026 23:00:00' };

/**
 * Inputs that the shapes do not describe: by operationId, behind `practice` where another API has the same, fields of the body or query, which win over
 * generated ones. Needed only when a wall reports that it proves nothing of an operation.
 */
export const BY_HAND: Record<string, { body?: object; query?: Record<string, string | undefined> }> = {
  // The rows restrict the patient.
  'practice getPatient': { query: { ignorerestrictions: 'true', ...SECTIONS } },
  // For who read the record with all sections.
  'practice updatePatient': { query: SECTIONS, body: { lastname: 'Example', state: 'NC', zip: '27601', race: ['2106-3'] } },
  deletePatientChangeSubscription: { query: { eventname: 'MergePatient' }, body: { eventname: 'MergePatient' } },
  deleteAppointmentChangeSubscription: { query: { eventname: 'CheckIn' }, body: { eventname: 'CheckIn' } },
  deleteProviderChangeSubscription: { query: { eventname: 'ProviderDelete' }, body: { eventname: 'ProviderDelete' } },
  createPatientChangeSubscription: { query: { eventname: 'MergePatient' }, body: { eventname: 'MergePatient' } },
  createAppointmentChangeSubscription: { query: { eventname: 'CheckIn' }, body: { eventname: 'CheckIn' } },
  createProviderChangeSubscription: { query: { eventname: 'ProviderDelete' }, body: { eventname: 'ProviderDelete' } },
  listChangedPatients: { query: HANDED_OUT },
  listChangedAppointments: { query: HANDED_OUT },
  listChangedProviders: { query: HANDED_OUT },
  createApplication: { body: { scopes: ['integration.read'], jwks: undefined, jwks_uri: undefined } },
  // By the id alone: all that is given has to fit.
  createChartOpening: {
    body: {
      reason: 'Unconscious in the emergency room',
      record_number: undefined,
      first_name: undefined,
      last_name: undefined,
      birth_date: undefined,
    },
  },
  bookAppointment: { query: { patientid: '%ID%', reasonid: undefined } },
  createAppointmentSeries: { body: { rrule: 'FREQ=DAILY;COUNT=1', appointment_date: '2031-02-15T09:00:00' } },
  updateAppointmentSeries: { body: { scope: 'all', appointment_id: undefined } },
  cancelAppointmentSeries: { query: { scope: 'all', appointment_id: undefined } },
  'practice createWaitlistEntry': {
    query: { patientid: undefined, appointmenttypeid: undefined },
    body: { patientid: '%ID%', appointmenttypeid: '%ID%' },
  },
  freezeAppointment: { query: { freeze: 'true' } },
  createOpenAppointments: { body: { appointmentdate: '01/15/2031', appointmenttime: '09:30' } },
  listOpenAppointments: { query: { startdate: '01/15/2031', enddate: '01/15/2031', reasonid: undefined } },
  createAvailability: { body: { from: '09:00', until: '10:00' } },
  updateAvailability: { body: { from: '09:00', until: '10:00' } },
  createAvailabilityException: { body: { from: '2031-01-15', until: '2031-01-15' } },
  updateAvailabilityException: { body: { from: '2031-01-15', until: '2031-01-15' } },
  createExternalMessage: { body: { sent_to: 'someone@example.com', expires: null } },
  // A body of its own is no JSON.
  importFile: { query: { mapping: undefined } },
  createReadings: { body: { measured_at: new Date().toISOString(), unit: null, source: null, readings: undefined } },
  changePassword: { body: { current_password: 'correct horse battery', password: 'correct horse battery' } },
  answerConversation: {
    body: { message: 'Hello', canned_reply_id: undefined, template_id: undefined, appointment_id: undefined, send_at: undefined },
  },
  listBookedAppointments: { query: BOOKED },
  listBookedAppointmentsOfDepartments: { query: BOOKED },
  addAppointmentReminder: { body: { approximatedate: '01/15/2031' } },
  listAppointmentReminders: { query: { startdate: '01/15/2031', enddate: '01/15/2031' } },
  listPatientAppointments: { query: { startdate: '01/15/2031', enddate: '01/15/2031' } },
  // All parameters may come in the form, as here.
  cancelAppointment: { query: { patientid: undefined } },
  confirmAppointment: { query: { patientid: undefined, confirmation: undefined }, body: { confirmation: 'Yes' } },
  rescheduleAppointment: {
    query: { patientid: undefined, newappointmentid: undefined, appointmentdate: undefined, appointmenttime: undefined },
    body: { newappointmentid: undefined, appointmentdate: '01/15/2031', appointmenttime: '11:00' },
  },
  replayWebhookEvents: { body: { from: '2026-01-01', to: undefined, types: undefined } },
  createScheduledCheckIn: { body: { schedule_time: '09:00' } },
  createVideoSessionImage: { body: { file: PICTURE } },
  createVideoSessionVideo: { body: { file: RECORDING, thumbnail: PICTURE } },
  // The public key of a device: the base point of the curve.
  createPushSubscription: { body: { endpoint: 'https://push.example.com/a', keys: { p256dh: BASE_POINT, auth: 'A'.repeat(22) } } },
  createTrackedCondition: { body: { icd_code: 'I10' } },
  renderSmsTemplate: { query: { language: 'en' } },
  renderTrackingSmsTemplate: { query: { language: 'en' } },
  findBestMatch: { query: { dob: '01/15/1990', minscore: undefined, ssn: '219-09-9999', usesoundexsearch: 'false' } },
  updatePatientCustomFields: { body: { customfields: '[{"customfieldid": "%ID%"}]' } },
  setPatientPhoto: { body: { image: IMAGE } },
  addInsuranceCard: { body: { image: IMAGE } },
  setInsuranceCard: { body: { image: IMAGE } },
  addInsurance: { body: { ...AS_SHOWN, insurancepackageid: undefined, insuranceplanname: 'Plan', sequencenumber: 7 } },
  updateInsurance: { body: { ...AS_SHOWN, sequencenumber: undefined, newsequencenumber: undefined } },
  updateInsuranceByPlace: { body: { ...AS_SHOWN, sequencenumber: 1, newsequencenumber: undefined } },
  cancelInsuranceByPlace: { body: { sequencenumber: 1 } },
  registerPatient: { body: { lastname: 'Example', dob: '01/15/1990', state: 'NC', zip: '27601', race: ['2106-3'] } },
};

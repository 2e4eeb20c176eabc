import type { DistinctPatient } from './tenant.ts';

/** The patient's id, which occurs nowhere else. */
export const PATIENT_ID = 1_777_777_773;
/** The beginning of each word in the patient's chart, and in all that is about the patient. */
const WORD = 'Zqjwhyx';
const PHONE = '9195550177';

const text = (value: string) => `'${value}'`;
const E164 = text(`+1${PHONE}`);
const words = (table: string, ...columns: string[]) =>
  Object.fromEntries(columns.map((column) => [`${table}.${column}`, text(`${WORD}${column.replaceAll('_', '')}`)]));

/** A patient with a full chart, of whom each record of the practice is; the values occur nowhere else. */
export const PATIENT: DistinctPatient = {
  id: PATIENT_ID,
  values: {
    ...words('patient', 'first_name', 'last_name', 'middle_name', 'preferred_name', 'address1', 'address2', 'city', 'employer_phone'),
    ...words('patient', 'contact_name', 'next_of_kin_name', 'guardian_first_name', 'guardian_last_name', 'guarantor_first_name'),
    ...words('patient', 'guarantor_last_name', 'guarantor_address1', 'guarantor_city', 'alt_first_name'),
    'patient.birth_date': `'1931-07-19'`,
    'patient.email': text(`${WORD}mail@example.com`),
    'patient.enterprise_id': 'NULL',
    'patient.merged_into_id': 'NULL',
    'patient.home_phone': E164,
    'patient.medical_record_no': text(String(PATIENT_ID)),
    'patient.mobile_phone': E164,
    'patient.work_phone': E164,
    // As the triggers write it.
    'patient_name_key.ordinal': '1',
    'patient_name_key.shared_length': '-1',
    'patient_name_key.last_key': text(`${WORD}lastname`.toLowerCase()),
    'patient_name_key.first_key': text(`${WORD}firstname`.toLowerCase()),
    // The name of a plan is that of its payer.
    ...words('insurance', 'id_number', 'group_number'),
    ...words('claim', 'description'),
    ...words('patient_custom_field', 'value'),
    // Not in force; the test sets and lifts it, so that the triggers of the database run.
    'privacy_restriction.lifted_at': 'now()',
    ...words('sms_message', 'body'),
    'sms_message.from_number': `'+19105550123'`,
    'sms_message.to_number': E164,
    'sms_template.body': text('Hello {{first name}}'),
    ...words('mail_message', 'body', 'subject'),
    'mail_message.to_address': text(`${WORD}mail@example.com`),
    'check_in.answered_at': 'now()',
    'check_in.answers': `'{"it":"${WORD}answer"}'`,
    ...words('check_in', 'message'),
    'check_in_review.minutes': '5',
    'check_in_review.started_at': `date_trunc('minute', now()) - interval '10 minutes'`,
    ...words('check_in_review', 'message'),
    'reading.measured_at': 'now()',
    'reading.measured_on': 'now()::date',
    'reading.source': `'device'`,
    ...words('monitoring_alert', 'question', 'answer'),
    ...words('external_message', 'message', 'subject', 'receiver_first_name', 'receiver_last_name', 'sent_to'),
    'incoming_call.from_number': E164,
    'voice_pager_message.from_number': E164,
    ...words('voice_pager_message', 'transcript'),
    'notification.subject_type': `'checkin_review'`,
    'program_patient.added_at': `now() - interval '1 day'`,
    ...words('session_image', 'title'),
    ...words('session_video', 'title'),
    ...words('session_participant', 'display_name'),
    'session_participant.role': `'guest'`,
    'session_participant.user_id': 'NULL',
    'session_invite.sent_to': E164,
    'attachment.file_name': text(`${WORD}file.txt`),
  },
};

/** Forms in which responses write what identifies the patient. */
const IDENTIFYING = new RegExp(`${WORD}|${PHONE}|\\(919\\) 555-0177|1931-07-19|07/19/1931`, 'i');
const NAMES_PATIENT = new RegExp(`\\b${PATIENT_ID}\\b`);

/** Whether a text tells anything of the chart, or names the patient by id. */
export const showsPatient = (shown: string): boolean => IDENTIFYING.test(shown) || NAMES_PATIENT.test(shown);

/** By what people search for the patient. */
export const SEARCH_TEXTS = [`${WORD}last`, PHONE];

/** Some of the operations that show the patient, in each area. */
export const SHOWING = [
  'GET /api/appointments/:uuid',
  'GET /api/patients/mrn/:mrn',
  'GET /:apivariant/:practiceid/patients',
  'GET /:apivariant/:practiceid/patients/:patientId',
  'GET /appointments/all',
  'GET /patients',
  'GET /contacts',
  'GET /contact-contact-tags',
  'GET /sms-messages',
  'GET /sms-message-template/:uuid/render',
  'GET /incoming-call-log',
  'GET /voice-pager-number-messages',
  'GET /attachment/:attachment/body/:filename',
  'GET /scheduled-checkins/:checkin',
  'GET /external-messages',
  'GET /remote-patient-monitoring/checkins',
  'GET /remote-patient-monitoring/checkin-reviews',
  'GET /remote-patient-monitoring/ledger',
  'GET /remote-patient-monitoring/ledger/:month/patients/:patient',
  'GET /remote-patient-monitoring/patients',
  'GET /remote-patient-monitoring/tracked-conditions',
  'GET /remote-patient-monitoring/workflow',
  'GET /video-session',
  'GET /video-session-image',
  'GET /video-session-video',
  'GET /telehealth-visits/:uuid',
  'GET /waiting-room-visits/:UUID',
  'GET /waiting-rooms/:UUID/waiting',
];

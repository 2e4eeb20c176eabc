/** Descriptions of the stored codes. */
const REASONS: Record<string, string> = {
  opted_out: 'The number asked for no more texts.',
  do_not_call: 'The patient wants no communication at all.',
  do_not_sms: 'The patient wants no texts.',
  deceased: 'The patient is deceased.',
  patient_gone: 'The patient’s chart was deleted.',
  patient_changed: 'The appointment is another patient’s now.',
  appointment_moved: 'The appointment is at another time now.',
  appointment_cancelled: 'The appointment was cancelled.',
  appointment_changed: 'The appointment has another provider, place or type now.',
  appointment_over: 'The appointment had begun before the text could leave.',
  no_mobile_number: 'The patient has no mobile number.',
  number_changed: 'The number is no longer the patient’s.',
  invalid_number: 'The number cannot receive texts.',
  unreachable: 'The telephone could not be reached.',
  undeliverable: 'The carrier could not deliver it.',
  carrier_unreachable: 'The carrier could not be reached for too long.',
  no_email: 'The patient has no email address.',
  address_changed: 'The address is no longer the patient’s.',
  mail_refused: 'The mail server refused it.',
  mail_server_unreachable: 'The mail server could not be reached for too long.',
  superseded: 'A later reply says what holds now.',
  withdrawn: 'It was taken back before it left.',
  measured_earlier: 'The value is older than two hours.',
  texted_recently: 'The patient was texted within the hour before.',
  no_sender_number: 'The practice has no number to text from.',
  scheduled: 'It leaves at the time in not_before.',
  postponed: 'It is put off to the time in not_before.',
};

/** The reason for which a text or an email was not sent, not delivered, or is not to be written at all, as a sentence. */
export const describeReason = (code: string | null): string | null => (code === null ? null : (REASONS[code] ?? 'The carrier refused it.'));

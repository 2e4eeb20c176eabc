/** A column, and the column of a table further up in the list whose values it has to have for a row to be the patient's. */
interface Link {
  column: string;
  /** `table.column` of rows that are the patient's already; absent: the ids of the patient's charts. */
  from?: string;
  /** Of the column, where it has no ids. */
  type?: 'text';
  /** SQL that must hold for the row `t` beside; `$charts` is the list of the charts. */
  only?: string;
}

/** The rows of a table that are about a patient. */
export interface PatientTable {
  table: string;
  /** The heading under which people read them. */
  title: string;
  /** One that holds makes a row the patient's. */
  links: readonly Link[];
}

const CHARTS: Link = { column: 'patient_id' };
const linkBy = (column: string, from: string): Link => ({ column, from });

/** Of the conversation in a room, the words of the practice's people in a visit that the patient was in; those of other guests are not. */
const OF_STAFF_IN_VISIT = `EXISTS (
    SELECT FROM session_participant p WHERE p.organization_id = $1::int AND p.id = t.participant_id AND p.user_id IS NOT NULL)
  AND EXISTS (
    SELECT FROM telehealth_visit v WHERE v.organization_id = $1::int AND v.video_session_id = t.video_session_id
       AND v.visit = t.visit AND v.patient_id = ANY ($charts))`;

/**
 * Every table with rows about a patient, each after those that it is linked to. A test compares this list and that of
 * other tables (test/admin/other-tables.ts) with the database: a new table belongs into one of them.
 */
export const PATIENT_TABLES: readonly PatientTable[] = [
  { table: 'patient', title: 'Chart', links: [{ column: 'id' }] },
  { table: 'import_report_row', title: 'Rows of imports', links: [CHARTS] },
  { table: 'patient_merge', title: 'Charts that were merged', links: [CHARTS, { column: 'from_patient_id' }] },
  { table: 'patient_registration', title: 'Offices', links: [CHARTS] },
  { table: 'guardianship', title: 'Guardians', links: [CHARTS, { column: 'guardian_patient_id' }] },
  { table: 'insurance', title: 'Insurance', links: [CHARTS] },
  { table: 'chart_image', title: 'Photo and insurance cards', links: [CHARTS] },
  { table: 'balance', title: 'Balances', links: [CHARTS] },
  { table: 'balance_contract', title: 'Payment contracts', links: [CHARTS] },
  { table: 'claim', title: 'Claims', links: [CHARTS] },
  { table: 'patient_custom_field', title: 'Custom fields', links: [CHARTS] },
  { table: 'portal_account', title: 'Portal accounts', links: [CHARTS] },
  { table: 'privacy_restriction', title: 'Privacy restrictions', links: [CHARTS] },
  { table: 'legal_hold', title: 'Legal holds', links: [CHARTS] },
  { table: 'privacy_item', title: 'Privacy forms', links: [CHARTS] },
  { table: 'chart_opening', title: 'Emergency accesses to the chart', links: [CHARTS] },
  { table: 'contact', title: 'Contact', links: [CHARTS, { column: 'id' }] },
  { table: 'contact_contact_tag', title: 'Tags of the contact', links: [linkBy('contact_id', 'contact.id')] },
  { table: 'appointment', title: 'Appointments', links: [CHARTS] },
  { table: 'user_appointment', title: 'People at the appointments', links: [linkBy('appointment_id', 'appointment.id')] },
  { table: 'slot_claim', title: 'Slots of the appointments', links: [linkBy('appointment_id', 'appointment.id')] },
  { table: 'appointment_note', title: 'Notes about the appointments', links: [linkBy('appointment_id', 'appointment.id')] },
  { table: 'appointment_series', title: 'Recurring appointments', links: [CHARTS] },
  { table: 'recall', title: 'Reminders to book a visit', links: [CHARTS] },
  { table: 'waitlist_entry', title: 'Waitlist', links: [CHARTS] },
  { table: 'freed_time', title: 'Times of cancelled appointments', links: [CHARTS] },
  { table: 'appointment_reminder', title: 'Reminders of appointments', links: [linkBy('appointment_id', 'appointment.id')] },
  { table: 'program_patient', title: 'Monitoring programs', links: [CHARTS] },
  { table: 'workflow_event', title: 'Steps in monitoring programs', links: [linkBy('program_patient_id', 'program_patient.id')] },
  { table: 'tracked_condition', title: 'Tracked conditions', links: [CHARTS] },
  {
    table: 'tracked_condition_item',
    title: 'Measured items of conditions',
    links: [linkBy('tracked_condition_id', 'tracked_condition.id')],
  },
  { table: 'reading', title: 'Readings', links: [CHARTS] },
  { table: 'monitoring_device', title: 'Devices', links: [linkBy('id', 'reading.device_id')] },
  { table: 'device_assignment', title: 'Devices at home', links: [CHARTS] },
  { table: 'monitoring_consent', title: 'Consents to monitoring', links: [CHARTS] },
  { table: 'scheduled_check_in_recipient', title: 'Scheduled check-ins', links: [CHARTS] },
  { table: 'check_in', title: 'Check-ins', links: [CHARTS] },
  { table: 'check_in_review', title: 'Reviews of check-ins', links: [CHARTS] },
  { table: 'review_release', title: 'Released reviews', links: [CHARTS] },
  { table: 'monitoring_alert', title: 'Monitoring alerts', links: [CHARTS] },
  { table: 'closed_ledger_row', title: 'Billing of closed months', links: [CHARTS] },
  { table: 'month_closing_row', title: 'Months that are being closed', links: [CHARTS] },
  { table: 'telehealth_visit', title: 'Video visits', links: [CHARTS] },
  { table: 'waiting_room_visit', title: 'Visits to waiting rooms', links: [CHARTS] },
  { table: 'session_participant', title: 'Presence in video sessions', links: [CHARTS] },
  {
    table: 'video_session',
    title: 'Video sessions',
    links: [
      linkBy('appointment_id', 'appointment.id'),
      linkBy('id', 'session_participant.video_session_id'),
      linkBy('id', 'telehealth_visit.video_session_id'),
    ],
  },
  {
    table: 'session_chat_message',
    title: 'Chat in video sessions',
    links: [
      linkBy('participant_id', 'session_participant.id'),
      { column: 'video_session_id', from: 'video_session.id', only: OF_STAFF_IN_VISIT },
    ],
  },
  {
    table: 'late_notice',
    title: 'Notices linkBy a late start',
    links: [linkBy('participant_id', 'session_participant.id'), linkBy('waiting_room_visit_id', 'waiting_room_visit.id')],
  },
  {
    table: 'session_image',
    title: 'Pictures',
    links: [CHARTS, linkBy('shown_participant_id', 'session_participant.id'), linkBy('maker_participant_id', 'session_participant.id')],
  },
  {
    table: 'session_video',
    title: 'Recordings',
    links: [CHARTS, linkBy('shown_participant_id', 'session_participant.id'), linkBy('maker_participant_id', 'session_participant.id')],
  },
  { table: 'still_request', title: 'Requests for pictures', links: [linkBy('participant_id', 'session_participant.id')] },
  {
    table: 'session_invite',
    title: 'Invites to video visits',
    links: [CHARTS, linkBy('appointment_id', 'appointment.id'), linkBy('id', 'session_participant.invite_id')],
  },
  { table: 'external_message', title: 'Messages with files', links: [CHARTS, linkBy('contact_id', 'contact.id')] },
  {
    table: 'external_message_attachment',
    title: 'Files of messages',
    links: [linkBy('external_message_id', 'external_message.id')],
  },
  { table: 'visit_message', title: 'Messages about appointments', links: [CHARTS, linkBy('appointment_id', 'appointment.id')] },
  { table: 'text_appointment', title: 'Appointments in texts', links: [CHARTS, linkBy('appointment_id', 'appointment.id')] },
  {
    table: 'sms_message',
    title: 'Texts',
    links: [
      CHARTS,
      linkBy('appointment_id', 'appointment.id'),
      linkBy('id', 'text_appointment.sms_message_id'),
      linkBy('id', 'check_in.sms_message_id'),
      linkBy('id', 'external_message.sms_message_id'),
      linkBy('id', 'session_invite.sms_message_id'),
      linkBy('id', 'late_notice.sms_message_id'),
      linkBy('id', 'visit_message.sms_message_id'),
      linkBy('id', 'monitoring_alert.patient_text_id'),
    ],
  },
  { table: 'text_picture', title: 'Pictures of texts', links: [linkBy('sms_message_id', 'sms_message.id')] },
  {
    table: 'mail_message',
    title: 'Mails',
    links: [
      CHARTS,
      linkBy('id', 'check_in.mail_message_id'),
      linkBy('id', 'external_message.mail_message_id'),
      linkBy('id', 'session_invite.mail_message_id'),
      linkBy('id', 'visit_message.mail_message_id'),
    ],
  },
  { table: 'booking_link', title: 'Booking links', links: [CHARTS] },
  { table: 'slot_offer', title: 'Offered times', links: [CHARTS] },
  { table: 'link_code', title: 'Codes of links to former numbers', links: [CHARTS] },
  {
    table: 'opt_out',
    title: 'Consent to texts, by telephone number',
    links: [
      { column: 'number', from: 'patient.mobile_phone', type: 'text' },
      { column: 'number', from: 'contact.phone', type: 'text' },
    ],
  },
  { table: 'incoming_call', title: 'Calls', links: [CHARTS] },
  { table: 'voice_pager_message', title: 'Voice messages', links: [CHARTS] },
  { table: 'inbox_item', title: 'Conversations in the inbox', links: [CHARTS, linkBy('contact_id', 'contact.id')] },
  { table: 'inbox_entry', title: 'Entries of those conversations', links: [linkBy('inbox_item_id', 'inbox_item.id')] },
  {
    table: 'attachment',
    title: 'Files',
    links: [
      linkBy('id', 'session_image.attachment_id'),
      linkBy('id', 'session_image.thumbnail_attachment_id'),
      linkBy('id', 'session_video.attachment_id'),
      linkBy('id', 'session_video.thumbnail_attachment_id'),
      linkBy('id', 'voice_pager_message.attachment_id'),
      linkBy('id', 'text_picture.attachment_id'),
      linkBy('id', 'external_message_attachment.attachment_id'),
    ],
  },
];

/** Columns that no export shows, by name, wherever they are. */
export const LEFT_OUT_COLUMNS: Readonly<Record<string, string>> = {
  organization_id: 'the practice, which is named once',
  ssn_encrypted: 'shown opened, as ssn',
  ssn_hash: 'a hash for searches',
  guarantor_ssn_encrypted: 'shown opened, as guarantor_ssn',
  first_name_folded: 'the name in small letters, for searches',
  last_name_folded: 'the name in small letters, for searches',
  last_key: 'the name in small letters, for searches',
  first_key: 'the name in small letters, for searches',
  link_hash: 'the hash of a secret link',
  guest_link_hash: 'the hash of a secret link',
  code_hash: 'the hash of a code',
  sealed: 'a secret link or a code until it is sent',
  storage_key: 'the place of the file in the store; the file is exported separately',
  connection: 'the mark of a socket',
  tap_key: 'the mark of a button',
  recording_url: 'an address at the carrier',
  carrier_url: 'an address at the carrier',
};

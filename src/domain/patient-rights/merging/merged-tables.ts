/** A table whose rows go to the other chart when two charts are merged. */
interface Moves {
  /** The column with the chart; `patient_id` unless given. */
  of?: string;
  /** The column by which a row is known among those of its chart. */
  by: string;
  /** SQL that must hold for the row `t`; `$3` is the chart that goes on. */
  only?: string;
  /** SQL of a row `w` of the chart that goes on, which keeps the row `t` where it is: the key admits one of them. */
  unless?: string;
  /** Further columns that repeat the id of the chart. */
  also?: readonly string[];
  /** A column that numbers the rows of a chart from 1. */
  numbered?: string;
}

/** A table whose rows stay with the chart that they are of, and the reason. */
interface Stays {
  stays: string;
}

const BILLED = 'evidence of what was billed, which nothing changes';
const OWED = 'what is owed under a chart stays with it until it is settled';
const OVERLAP = 'tstzrange(w.entered_at, w.left_at) && tstzrange(t.entered_at, t.left_at)';

/**
 * Every table with a column `patient_id`. A test compares the list with the schema: a new table belongs into it. A table without that column
 * follows the rows that it is linked to.
 */
export const MERGED_TABLES: Readonly<Record<string, Moves | Stays>> = {
  appointment: { by: 'id' },
  appointment_series: { by: 'id' },
  balance: { stays: OWED },
  balance_contract: { stays: OWED },
  booking_link: { by: 'id' },
  chart_image: { by: 'insurance_id', unless: 'w.insurance_id = t.insurance_id' },
  chart_opening: { stays: 'an emergency opened this chart, and no other' },
  check_in: {
    by: 'id',
    unless:
      'w.scheduled_check_in_id = t.scheduled_check_in_id AND w.survey_type_id = t.survey_type_id AND w.occurrence_on = t.occurrence_on',
  },
  check_in_review: { by: 'id' },
  claim: { stays: OWED },
  closed_ledger_row: { stays: BILLED },
  contact: { stays: 'its id is that of the chart; its conversations move' },
  device_assignment: { by: 'device_id' },
  external_message: { by: 'id' },
  freed_time: { by: 'id' },
  guardianship: { by: 'patient_id', unless: 'true' },
  import_report_row: { stays: 'the report of a file as it was read' },
  inbox_item: {
    by: 'id',
    also: ['contact_id'],
    unless: 'w.closed_at IS NULL AND t.closed_at IS NULL AND w.chat_id IS NOT DISTINCT FROM t.chat_id',
  },
  incoming_call: { by: 'id' },
  insurance: {
    by: 'id',
    numbered: 'sequence_number',
    unless: 'w.plan_name IS NOT DISTINCT FROM t.plan_name AND w.id_number IS NOT DISTINCT FROM t.id_number',
  },
  legal_hold: { by: 'id' },
  link_code: { stays: 'a code for some minutes' },
  mail_message: { by: 'id' },
  monitoring_alert: { by: 'id' },
  monitoring_consent: { stays: BILLED },
  month_closing_row: { stays: BILLED },
  patient_custom_field: { by: 'custom_field_id', unless: 'w.custom_field_id = t.custom_field_id' },
  patient_merge: { stays: 'the history of the chart' },
  patient_name_key: { stays: 'the database makes it of the name' },
  patient_registration: { by: 'office_id', unless: 'w.office_id = t.office_id' },
  portal_account: { by: 'id', unless: 'w.holder = t.holder' },
  privacy_item: { by: 'kind', unless: 'w.kind = t.kind' },
  privacy_restriction: { by: 'id', unless: 'w.kind = t.kind AND w.lifted_at IS NULL AND t.lifted_at IS NULL' },
  program_patient: { by: 'id', unless: 'w.program_id = t.program_id AND w.removed_at IS NULL AND t.removed_at IS NULL' },
  reading: {
    by: 'id',
    unless:
      'w.item_id = t.item_id AND w.measured_at = t.measured_at AND w.source = t.source AND w.device_id IS NOT DISTINCT FROM t.device_id',
  },
  recall: { by: 'id' },
  review_release: { stays: BILLED },
  scheduled_check_in_recipient: { by: 'scheduled_check_in_id', unless: 'w.scheduled_check_in_id = t.scheduled_check_in_id' },
  session_image: { by: 'id' },
  session_invite: { by: 'id' },
  session_participant: { by: 'id' },
  session_video: { by: 'id' },
  slot_offer: { by: 'id', unless: "w.state = 'open' AND t.state = 'open'" },
  sms_message: { by: 'id' },
  telehealth_visit: { by: 'id', unless: 'w.video_session_id = t.video_session_id' },
  text_appointment: { by: 'sms_message_id' },
  tracked_condition: { by: 'id' },
  visit_message: { by: 'id' },
  voice_pager_message: { by: 'id' },
  waiting_room_visit: { by: 'id', unless: `w.waiting_room_id = t.waiting_room_id AND ${OVERLAP}` },
  waitlist_entry: { by: 'id' },
};

/** The patients whose guardian has the chart. One cannot become the guardian of themselves. */
const OF_GUARDIAN = {
  name: 'guardianship_of',
  table: 'guardianship',
  of: 'guardian_patient_id',
  by: 'patient_id',
  only: 't.patient_id <> $3::int',
};

/** The tables whose rows move, in alphabetical order, each with the name under which a merge stores them. */
export const MOVING_TABLES: readonly ({ name: string; table: string } & Moves)[] = [
  ...Object.entries(MERGED_TABLES).flatMap(([table, rule]) => ('by' in rule ? [{ name: table, table, ...rule }] : [])),
  OF_GUARDIAN,
];

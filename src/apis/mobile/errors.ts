import { problemWriter } from '../../http/errors/problems.ts';
import { GUARDIAN_LINK_NAMES } from '../../http/wire/guardian.ts';
import { READING_NAMES } from './monitoring/readings/readings.wire.ts';
import { PATIENT_NAMES } from './people/patient-writes.wire.ts';
import { APPOINTMENT_TYPE_NAMES } from './scheduling/appointment-types.wire.ts';
import { SERIES_NAMES } from './scheduling/appointments/appointment-series.wire.ts';
import { APPOINTMENT_NAMES } from './scheduling/appointments/appointments.wire.ts';
import { BOOKING_LINK_NAMES } from './scheduling/booking/booking-links.wire.ts';
import { WAITLIST_NAMES } from './scheduling/booking/waitlist.wire.ts';
import { AVAILABILITY_NAMES } from './scheduling/free-time/availability.wire.ts';
import { EXCEPTION_NAMES } from './scheduling/free-time/availability-exceptions.wire.ts';

/** Names on the wire of the domain's fields that an error may name: the first, unless the caller sent another. */
const FIELDS: Readonly<Record<string, string | readonly string[]>> = {
  ...WAITLIST_NAMES,
  ...BOOKING_LINK_NAMES,
  ...SERIES_NAMES,
  ...PATIENT_NAMES,
  ...APPOINTMENT_NAMES,
  ...APPOINTMENT_TYPE_NAMES,
  ...READING_NAMES,
  ...GUARDIAN_LINK_NAMES,
  ...AVAILABILITY_NAMES,
  ...EXCEPTION_NAMES,
  appointmentId: ['appointment_id'],
  cannedReplyId: ['canned_reply_id'],
  chatId: ['chat_id', 'chat', 'group'],
  checkInId: ['checkin_uuid'],
  contactId: ['Contact'],
  appointmentTypeId: ['appointment_type_id'],
  currentPassword: ['current_password'],
  endsOn: ['ends_on'],
  entryCount: ['entry_count'],
  fiveMinuteType: ['teleheath_5_minute_check_in_type'],
  fromUserId: ['from_user_id'],
  icdCode: ['icd_code'],
  id: ['uuid', 'id'],
  icdLexCode: ['icd_lex_code'],
  patientId: [...APPOINTMENT_NAMES.patientId, 'patient_uuid'],
  mediaPatientId: ['patient_uuid'],
  programId: ['program_uuid'],
  providerId: [...APPOINTMENT_NAMES.providerId, 'provider_uuid'],
  officeId: APPOINTMENT_NAMES.officeId,
  recipientId: ['recipient_id'],
  reviewId: ['checkin_review'],
  heldReviewId: ['review_uuid'],
  heldPatientId: ['patient_uuid'],
  reviewUserId: ['review_user_id'],
  givenAt: ['given_at'],
  startedAt: ['started_at'],
  sendAt: ['send_at'],
  sentTo: ['sent_to'],
  stepId: ['step_uuid'],
  surveyTypeId: ['survey_type_id'],
  tagId: ['contact_tag_uuid'],
  templateId: ['template_id'],
  userId: ['user_id', 'user_uuid'],
};

/** A failure as RFC 9457 writes problems. */
export const writeProblem = problemWriter(FIELDS);

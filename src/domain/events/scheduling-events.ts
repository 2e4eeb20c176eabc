import { kind } from './event-kind.ts';

const APPOINTMENT = [
  'patientId',
  'users',
  'providerId',
  'typeId',
  'typeOrganizationId',
  'startsAt',
  'localStart',
  'undatedAt',
  'timeZone',
  'durationMinutes',
  'endsAt',
  'officeId',
  'locationId',
  'waitingRoomId',
  'status',
  'cancelledAt',
  'checkInStartedAt',
  'notes',
  'confirmation',
  'confirmedAt',
  'confirmedBy',
  'showOnTasks',
  'frozen',
  'initialSmsSent',
];
const TYPE = [
  ...['name', 'description', 'durationMinutes', 'active', 'isGlobal'],
  ...['bufferBefore', 'bufferAfter', 'leadMinutes', 'latestDays', 'modality', 'capacity', 'bookableBy'],
];
const HOURS = [
  ...['providerId', 'officeId', 'weekday', 'fromMinute', 'untilMinute', 'startsOn', 'endsOn'],
  ...['typeIds', 'capacity', 'bookableBy'],
];
const EXCEPTION = ['providerId', 'officeId', 'fromLocal', 'untilLocal', 'available', 'reason'];

const WAITING = [
  ...['patientId', 'typeId', 'providerId', 'officeId', 'priority', 'weekdays', 'fromMinute', 'untilMinute', 'earliest', 'latest'],
  ...['waitsUntil', 'channel', 'note', 'appointmentId', 'status'],
];

export const SCHEDULING_EVENTS = {
  'appointment.imported': kind(
    'appointment',
    'An appointment came in with an import; `changed` names the fields that were given.',
    'externalId',
    ...APPOINTMENT,
  ),
  'appointment.scheduled': kind('appointment', 'An appointment was booked; `changed` names the fields that were given.', ...APPOINTMENT),
  'appointment.moved': kind(
    'appointment',
    'An appointment has another start, lost its date or got one; other fields may have changed with it.',
    ...APPOINTMENT,
  ),
  'appointment.changed': kind('appointment', 'Fields of an appointment changed, and not its start.', ...APPOINTMENT),
  'appointment.cancelled': kind('appointment', 'An appointment was cancelled.'),
  'appointment.arrived': kind('appointment', 'The patient has arrived.', 'status'),
  'appointment.roomed': kind('appointment', 'The patient is in the room where the visit takes place.', 'status'),
  'appointment.in_progress': kind('appointment', 'The visit has begun; a video visit begins by itself.', 'status'),
  'appointment.checked_out': kind('appointment', 'The patient has left.', 'status'),
  'appointment.completed': kind('appointment', 'The visit is over, and nothing about it is left to do.', 'status'),
  'appointment.no_show': kind('appointment', 'The patient did not come.', 'status'),
  'appointment.restored': kind('appointment', 'An appointment that was over, missed or cancelled is to come or goes on again.', 'status'),
  'appointment.confirmed': kind('appointment', 'The patient said that they will come.', 'confirmation'),
  'appointment.declined': kind('appointment', 'The patient said that they will not come.', 'confirmation'),
  'appointment_reminder.sent': kind('appointment', 'A reminder of an appointment was sent.'),
  'recall.created': kind('recall', 'A patient is to book a visit about a day.'),
  'recall.deleted': kind('recall', 'A reminder to book a visit was deleted.'),
  'appointment_type.created': kind('appointment_type', 'A kind of appointment was made.', ...TYPE),
  'appointment_type.updated': kind('appointment_type', 'Fields of a kind of appointment changed.', ...TYPE),
  'appointment_type.deleted': kind('appointment_type', 'A kind of appointment can be booked no longer.'),
  'availability.created': kind('availability', 'A provider has further weekly hours.', ...HOURS),
  'availability.updated': kind('availability', 'Weekly hours of a provider changed.', ...HOURS),
  'availability.deleted': kind('availability', 'A provider has fewer weekly hours.'),
  'availability_exception.created': kind('availability_exception', 'A time differs from the weekly hours.', ...EXCEPTION),
  'availability_exception.updated': kind('availability_exception', 'A time that differs from the weekly hours changed.', ...EXCEPTION),
  'availability_exception.deleted': kind('availability_exception', 'A time follows the weekly hours again.'),
  'waitlist_entry.created': kind('waitlist_entry', 'A patient waits for a time.', ...WAITING),
  'waitlist_entry.updated': kind('waitlist_entry', 'What a patient waits for changed, or they booked a time that was offered.', ...WAITING),
  'waitlist_entry.deleted': kind('waitlist_entry', 'A waitlist entry was deleted.'),
  'slot_offer.made': kind('slot_offer', 'A time that became free is held for a patient on the waitlist, who is asked about it.'),
  'slot_offer.accepted': kind('slot_offer', 'The patient booked the time.', 'state', 'appointmentId'),
  'slot_offer.ended': kind('slot_offer', 'The patient declined the time or did not answer, or the question did not reach them.', 'state'),
  'booking_link.created': kind('booking_link', 'A patient got a link at which they book a visit.'),
  'booking_link.revoked': kind('booking_link', 'A link at which a patient books was revoked.'),
};

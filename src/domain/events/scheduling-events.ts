import { APPOINTMENT } from '../../records/appointment.ts';
import { kind } from './event-kind.ts';

/** The patient and the participants come first: examples in documents show the first fields. */
const FIELDS = [...new Set(['patientId', 'users', ...Object.keys(APPOINTMENT), 'checkInStartedAt', 'notes', 'frozen'])];
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
  'appointment.imported': kind('appointment', 'An appointment was imported; `changed` names its fields.', 'externalId', ...FIELDS),
  'appointment.scheduled': kind('appointment', 'An appointment was booked; `changed` names its fields.', ...FIELDS),
  'appointment.moved': kind(
    'appointment',
    'The start of an appointment changed, or was added or removed; other fields may have changed with it.',
    ...FIELDS,
  ),
  'appointment.changed': kind('appointment', 'Fields of an appointment other than its start changed.', ...FIELDS),
  'appointment.cancelled': kind('appointment', 'An appointment was cancelled.'),
  'appointment.arrived': kind('appointment', 'The patient has arrived.', 'status'),
  'appointment.roomed': kind('appointment', 'The patient is in the room where the visit takes place.', 'status'),
  'appointment.in_progress': kind('appointment', 'The visit has begun; video visits begin automatically.', 'status'),
  'appointment.checked_out': kind('appointment', 'The patient has left.', 'status'),
  'appointment.completed': kind('appointment', 'The visit is complete.', 'status'),
  'appointment.no_show': kind('appointment', 'The patient did not come.', 'status'),
  'appointment.restored': kind('appointment', 'An appointment that was over, missed or cancelled was reopened.', 'status'),
  'appointment.confirmed': kind('appointment', 'The patient said that they will come.', 'confirmation'),
  'appointment.declined': kind('appointment', 'The patient said that they will not come.', 'confirmation'),
  'appointment_reminder.sent': kind('appointment', 'A reminder of an appointment was sent.'),
  'recall.created': kind('recall', 'A reminder to book a visit was created.'),
  'recall.deleted': kind('recall', 'A reminder to book a visit was deleted.'),
  'appointment_type.created': kind('appointment_type', 'An appointment type was created.', ...TYPE),
  'appointment_type.updated': kind('appointment_type', 'Fields of an appointment type changed.', ...TYPE),
  'appointment_type.deleted': kind('appointment_type', 'An appointment type can no longer be booked.'),
  'availability.created': kind('availability', 'Weekly hours of a provider were added.', ...HOURS),
  'availability.updated': kind('availability', 'Weekly hours of a provider changed.', ...HOURS),
  'availability.deleted': kind('availability', 'Weekly hours of a provider were removed.'),
  'availability_exception.created': kind('availability_exception', 'An exception to the weekly hours was created.', ...EXCEPTION),
  'availability_exception.updated': kind('availability_exception', 'An exception to the weekly hours changed.', ...EXCEPTION),
  'availability_exception.deleted': kind('availability_exception', 'An exception to the weekly hours was removed.'),
  'waitlist_entry.created': kind('waitlist_entry', 'A patient was added to the waitlist.', ...WAITING),
  'waitlist_entry.updated': kind('waitlist_entry', 'A waitlist entry changed, or its patient booked an offered time.', ...WAITING),
  'waitlist_entry.deleted': kind('waitlist_entry', 'A waitlist entry was deleted.'),
  'slot_offer.made': kind('slot_offer', 'A freed time is held for a patient on the waitlist and offered to them.'),
  'slot_offer.accepted': kind('slot_offer', 'The patient booked the offered time.', 'state', 'appointmentId'),
  'slot_offer.ended': kind('slot_offer', 'The patient declined the offered time, did not answer, or could not be reached.', 'state'),
  'booking_link.created': kind('booking_link', 'A booking link was created for a patient.'),
  'booking_link.revoked': kind('booking_link', 'A booking link was revoked.'),
};

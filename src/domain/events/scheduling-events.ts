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

export const SCHEDULING_EVENTS = {
  'appointment.imported': kind(
    'appointment',
    'An appointment came in with an import; `changed` names the fields that were given.',
    'externalId',
    'cancelledAt',
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
  'appointment.confirmed': kind('appointment', 'The patient said that they will come.', 'confirmation'),
  'appointment.declined': kind('appointment', 'The patient said that they will not come.', 'confirmation'),
  'appointment_reminder.sent': kind('appointment', 'A reminder of an appointment was sent.'),
  'appointment_type.created': kind('appointment_type', 'A kind of appointment was made.', ...TYPE),
  'appointment_type.updated': kind('appointment_type', 'Fields of a kind of appointment changed.', ...TYPE),
  'appointment_type.deleted': kind('appointment_type', 'A kind of appointment can be booked no longer.'),
  'availability.created': kind('availability', 'A provider has further weekly hours.', ...HOURS),
  'availability.updated': kind('availability', 'Weekly hours of a provider changed.', ...HOURS),
  'availability.deleted': kind('availability', 'A provider has fewer weekly hours.'),
  'availability_exception.created': kind('availability_exception', 'A time differs from the weekly hours.', ...EXCEPTION),
  'availability_exception.updated': kind('availability_exception', 'A time that differs from the weekly hours changed.', ...EXCEPTION),
  'availability_exception.deleted': kind('availability_exception', 'A time follows the weekly hours again.'),
};

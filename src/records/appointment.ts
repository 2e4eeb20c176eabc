import type { Fields } from './field.ts';

/** Fields that a booking writes, in the order of events. Responses of the integration API show some records in place of their ids. */
export const APPOINTMENT = {
  patientId: { kind: 'reference', integration: 'patient', practice: 'patientid', mobile: 'patient_id', means: 'Patient id' },
  providerId: { kind: 'reference', integration: 'provider_id', practice: 'providerid', mobile: 'provider_id', means: 'Provider id' },
  typeId: {
    kind: 'reference',
    integration: 'type',
    practice: 'appointmenttypeid',
    mobile: 'appointment_type_id',
    means: 'Appointment type id',
  },
  typeOrganizationId: {
    kind: 'reference',
    integration: 'type',
    practice: 'appointmenttypeid',
    mobile: 'appointment_type_id',
    means: 'Practice of the appointment type, which may be one of all practices',
  },
  startsAt: {
    kind: 'instant',
    integration: 'appointment_date',
    practice: 'starttime',
    mobile: 'appointment_date',
    means: 'Start of the appointment',
  },
  localStart: {
    kind: 'wallClock',
    integration: 'appointment_date',
    practice: 'date',
    mobile: 'appointment_date_local',
    means: 'Start of the appointment in its time zone',
  },
  undatedAt: {
    kind: 'instant',
    integration: 'appointment_date',
    practice: 'date',
    mobile: 'appointment_date',
    means: 'Time at which it lost its date',
  },
  timeZone: { kind: 'timeZone', integration: 'appointment_timezone', mobile: 'appointment_timezone', means: 'IANA time zone' },
  durationMinutes: {
    kind: 'count',
    integration: 'duration_minutes',
    practice: 'duration',
    mobile: 'duration_minutes',
    means: 'Length in minutes',
  },
  endsAt: {
    kind: 'instant',
    integration: 'duration_minutes',
    practice: 'duration',
    mobile: 'appointment_end',
    means: 'End of the appointment',
  },
  officeId: { kind: 'reference', integration: 'office_id', practice: 'departmentid', mobile: 'office_id', means: 'Office id' },
  locationId: { kind: 'reference', integration: 'location', mobile: 'location_id', means: 'Location id' },
  waitingRoomId: { kind: 'reference', integration: 'waiting_room_id', mobile: 'waiting_room_id', means: 'Waiting room id' },
  status: {
    kind: 'appointmentStatus',
    integration: 'status',
    practice: 'appointmentstatus',
    mobile: 'status',
    means: 'Progress of the visit',
  },
  cancelledAt: { kind: 'instant', means: 'Time of the cancellation' },
  confirmation: {
    kind: 'confirmation',
    integration: 'confirmation',
    practice: 'confirmation',
    mobile: 'confirmation',
    means: 'The patient’s answer',
  },
  confirmedAt: {
    kind: 'instant',
    integration: 'confirmation',
    practice: 'confirmation',
    mobile: 'confirmation',
    means: 'Time of the patient’s answer',
  },
  confirmedBy: {
    kind: 'line',
    integration: 'confirmation',
    practice: 'confirmation',
    mobile: 'confirmation',
    means: 'Patient, or user who answered for the patient',
  },
  showOnTasks: { kind: 'trueUnlessSet', mobile: 'show_on_tasks', means: 'Whether it is shown in the list of tasks' },
  initialSmsSent: {
    kind: 'flag',
    integration: 'initial_sms_sent',
    mobile: 'initial_sms_sent',
    means: 'Whether a text about it was sent to its patient',
  },
} as const satisfies Fields;

/** Columns beside them that a booking writes, and no event names. */
export const BOOKING = {
  createdByUserId: { kind: 'reference', means: 'User who created it' },
  bookedAt: { kind: 'instant', means: 'Time at which it got its patient' },
  bookedByUserId: { kind: 'reference', means: 'User who gave it its patient' },
  rescheduledAt: { kind: 'instant', means: 'Time at which it was last moved' },
} as const satisfies Fields;

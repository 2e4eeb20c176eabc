import { z } from 'zod';
import { PATIENT_LIMITS } from '../../domain/patients/field-limits.ts';
import type { Appointment, AppointmentLocation } from '../../domain/scheduling/appointment/appointment-view.ts';
import { APPOINTMENT_LIMITS } from '../../domain/scheduling/appointment/field-limits.ts';
import { type AppointmentInput, checkAppointmentDate, readAppointmentZone } from '../../domain/scheduling/booking/appointment-input.ts';
import type { AppointmentFilter } from '../../domain/scheduling/lists/appointment-lists.ts';
import { writePhone } from '../../domain/values/phone-numbers.ts';
import { recordNumber } from '../../domain/values/text-form.ts';
import { alsoNamed, filterNames, sameAs } from '../../http/input/query.ts';
import { appointmentStatus, fromStatusChanges, statusChanges, updatedStatus } from '../../http/wire/appointment-statuses.ts';
import { changeNotice } from '../../http/wire/change-notices.ts';
import { prefer, withChecks } from '../../http/wire/checked-shapes.ts';
import {
  dateBound,
  id,
  instant,
  integerBetween,
  localTime,
  longId,
  moment,
  optional,
  pagingByPosition,
  renameFields,
  text,
  timeZone,
  updatedSince,
} from '../../http/wire/wire-types.ts';
import { AppointmentTypeShape, fromAppointmentType, Links, listMeta } from './appointment-types.wire.ts';
import { fromPatient, PatientShape } from './patients.wire.ts';

const LocationShape = z
  .strictObject({
    uuid: z.int().describe('Location id'),
    name: z.string().describe('Name of the location'),
    phone: z.string().nullable().describe('Ten digits if North American, otherwise E.164'),
    address: z.string().nullable().describe('First line of the street address'),
    address2: z.string().nullable().describe('Second line of the street address'),
    city: z.string().nullable().describe('City'),
    state: z.string().nullable().describe('Two-letter code of the state'),
    zip: z.string().nullable().describe('Five digits, or nine with a hyphen'),
  })
  .meta({ id: 'AppointmentLocation' });

const confirmations = () => z.enum(['Yes', 'No', 'Pending']);

export const AppointmentShape = z
  .strictObject({
    uuid: z.int().describe('Appointment id'),
    appointment_date: localTime()
      .nullable()
      .describe('Local time in appointment_timezone, such as 2026-03-09T09:30:00; null without a date'),
    appointment_date_utc: instant().nullable().describe('The same instant in UTC'),
    appointment_timezone: z.string().describe('IANA time zone'),
    created_at: instant().describe('When it was created'),
    updated_at: instant().describe('When it was last changed'),
    created_by: z.int().nullable().describe('Id of the user who created it'),
    created_by_first_name: z.string().nullable().describe('First name of that user'),
    created_by_last_name: z.string().nullable().describe('Last name of that user'),
    duration_minutes: z.int().describe('Length in minutes'),
    initial_sms_sent: z
      .boolean()
      .nullable()
      .describe('Whether a text about it was sent to its patient; false if all are waiting, suppressed or failed; null if there are none'),
    status: appointmentStatus().describe('Progress of the visit'),
    status_changes: statusChanges(),
    confirmation: confirmations().describe('The patient’s answer'),
    office_id: z.int().nullable().describe('Office id'),
    provider_id: z.int().nullable().describe('Provider id'),
    waiting_room_id: z.int().nullable().describe('Waiting room id'),
    location: LocationShape.nullable().describe('Where it takes place'),
    patient: PatientShape.nullable().describe(
      'Null without a patient, for a deleted one, and if the chart is restricted or blocked and the caller lacks the scope restricted.read',
    ),
    patient_restricted: z.boolean().describe('Whether the patient’s chart is restricted or blocked'),
    type: AppointmentTypeShape.nullable().describe('Kind of the appointment'),
    user: z.array(z.string()).describe('Ids of the participants'),
  })
  .meta({ id: 'Appointment' });

export const AppointmentResponse = z.strictObject({ data: AppointmentShape }).meta({ id: 'AppointmentResponse' });

export const AppointmentList = z
  .strictObject({ data: z.array(AppointmentShape).describe('The appointments of this page'), links: Links, meta: listMeta })
  .meta({ id: 'GetAppointmentsResponse' });

/** Answers have them as texts, which may be sent back. */
const people = () => optional(z.array(id().meta({ orText: true })).max(APPOINTMENT_LIMITS.users));

export const AppointmentRequest = withChecks(
  z
    .object({
      appointment_date: optional(moment(APPOINTMENT_LIMITS.date)).describe(
        'With an offset, an instant; without one, local time in the appointment’s time zone',
      ),
      patient_id: optional(id()).describe('Patient id'),
      appointment_type_id: optional(id()).describe('Appointment type id'),
      appointment_timezone: optional(timeZone(APPOINTMENT_LIMITS.timeZone)).describe(
        'IANA time zone; defaults to that of the office, then of the organization',
      ),
      office_id: optional(id()).describe('Office id'),
      location_id: optional(id()).describe('Location id'),
      waiting_room_id: optional(id()).describe('Waiting room id, of the same office'),
      provider_id: optional(id()).describe('Provider id; defaults to the provider whose user takes part'),
      duration_minutes: optional(integerBetween(1, APPOINTMENT_LIMITS.durationMinutes)).describe(
        'Length in minutes; defaults to that of the appointment type, then of the organization',
      ),
      slot: optional(longId()).describe('Id of a free time from GET /slots, which sets start, length, provider, office and type'),
      hold: optional(longId()).describe('Id of your hold on a slot, instead of slot'),
      confirmation: optional(confirmations()).describe('The patient’s answer'),
      status: updatedStatus(),
      notify: optional(changeNotice).describe(
        'How to notify the patient of a new or moved appointment; for a move, defaults to the setting of the practice',
      ),
      user: people().describe('Ids of the participants, as numbers or strings; replaces the whole list'),
      'user[]': sameAs(people(), 'user'),
    })
    .meta({ id: 'AppointmentRequest' }),
  { same: [['user', 'user[]']], besideOthers: { appointment_date: checkAppointmentDate, appointment_timezone: readAppointmentZone } },
);

export const appointmentListQuery = z.object({
  patient_id: alsoNamed(optional(id()), ...filterNames('patient')).describe('Appointments of this patient'),
  from: optional(dateBound()).describe(
    'Earliest start, inclusive: a day or a date-time. ISO 8601; without an offset in the organization’s time zone',
  ),
  to: optional(dateBound()).describe(
    'Latest start, inclusive: a day (the whole day) or a date-time. ISO 8601; without an offset in the organization’s time zone',
  ),
  external_id: optional(text(PATIENT_LIMITS.externalId, recordNumber)).describe('Id in the system from which the appointment was imported'),
  ...updatedSince,
  ...pagingByPosition,
});

export const toAppointmentFilter = ({
  patient_id,
  from,
  to,
  updated_since,
  external_id,
}: z.output<typeof appointmentListQuery>): AppointmentFilter => ({
  patientId: patient_id ?? undefined,
  dates: { min: from ?? undefined, max: to ?? undefined, fields: { min: 'from', max: 'to' } },
  updatedSince: updated_since,
  externalId: external_id ?? undefined,
});

export const appointmentParams = z.object({ uuid: longId().describe('Appointment id') });

export const MessageResponse = z.strictObject({ message: z.string().describe('What happened') }).meta({ id: 'MessageResponse' });

export function fromAppointment(appointment: Appointment): z.input<typeof AppointmentShape> {
  const { createdBy, location, patient, type } = appointment;
  return {
    uuid: appointment.id,
    appointment_date: appointment.localStart,
    appointment_date_utc: appointment.startsAt,
    appointment_timezone: appointment.timeZone,
    created_at: appointment.createdAt,
    updated_at: appointment.updatedAt,
    created_by: createdBy?.id ?? null,
    created_by_first_name: createdBy?.firstName ?? null,
    created_by_last_name: createdBy?.lastName ?? null,
    duration_minutes: appointment.durationMinutes,
    initial_sms_sent: appointment.initialSmsSent,
    status: appointment.status,
    status_changes: fromStatusChanges(appointment.statusChanges),
    confirmation: appointment.confirmation,
    office_id: appointment.officeId,
    provider_id: appointment.providerId,
    waiting_room_id: appointment.waitingRoomId,
    location: location && fromLocation(location),
    patient: patient && fromPatient(patient),
    patient_restricted: appointment.patientRestricted,
    type: type && fromAppointmentType(type),
    user: appointment.users.map(({ id }) => String(id)),
  };
}

function fromLocation(location: AppointmentLocation): z.input<typeof LocationShape> {
  const { id: uuid, name, phone, address1, address2, city, state, zip } = location;
  return { uuid, name, phone: writePhone(phone), address: address1, address2, city, state, zip };
}

export const APPOINTMENT_NAMES = {
  date: 'appointment_date',
  timeZone: 'appointment_timezone',
  patientId: 'patient_id',
  typeId: 'appointment_type_id',
  officeId: 'office_id',
  locationId: 'location_id',
  waitingRoomId: 'waiting_room_id',
  providerId: 'provider_id',
  durationMinutes: 'duration_minutes',
  userIds: 'user',
  slotId: 'slot',
  holdId: 'hold',
} as const;

/** Null for the participants is nobody. */
export function toAppointment(request: z.output<typeof AppointmentRequest>): AppointmentInput {
  const userIds = prefer(request.user, request['user[]']);
  const confirmation = request.confirmation === null ? 'Pending' : request.confirmation;
  const status = request.status === null ? 'scheduled' : request.status;
  return {
    ...renameFields(request, APPOINTMENT_NAMES),
    userIds: userIds === null ? [] : userIds,
    confirmation,
    status,
    notify: request.notify,
  };
}

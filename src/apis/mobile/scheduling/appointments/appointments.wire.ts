import { z } from 'zod';
import type { CanTextOf } from '../../../../domain/messaging/recipients/can-text.ts';
import type { Appointment } from '../../../../domain/scheduling/appointment/appointment-view.ts';
import { APPOINTMENT_LIMITS } from '../../../../domain/scheduling/appointment/field-limits.ts';
import {
  type AppointmentInput,
  checkAppointmentDate,
  readAppointmentZone,
} from '../../../../domain/scheduling/booking/appointment-input.ts';
import { sameAs } from '../../../../http/input/query.ts';
import { appointmentStatus, fromStatusChanges, statusChanges, updatedStatus } from '../../../../http/wire/appointment-statuses.ts';
import { changeNotice } from '../../../../http/wire/change-notices.ts';
import { prefer, withChecks } from '../../../../http/wire/checked-shapes.ts';
import { bit, id, instant, integerBetween, localTime, longId, moment, optional, timeZone } from '../../../../http/wire/wire-types.ts';
import { CanTextShape, fromCanText } from '../../can-text.wire.ts';
import { fromLocation, fromWaitingRoom } from '../../people/organizations/offices.wire.ts';
import { confirmations, one, WarningsShape } from '../../shared.wire.ts';
import { AppointmentTypeShape, fromAppointmentType } from '../appointment-types.wire.ts';
import {
  fromOffice,
  fromPatient,
  fromUser,
  LocationShape,
  OfficeShape,
  PatientShape,
  UserShape,
  WaitingRoomShape,
} from './appointment-parts.wire.ts';

export const AppointmentShape = z
  .strictObject({
    uuid: z.int(),
    appointment_date: instant().nullable().describe('UTC; null without a date'),
    appointment_date_local: localTime().nullable().describe('Local time in appointment_timezone, such as 2026-03-09T09:30:00'),
    appointment_timezone: z.string().describe('IANA time zone'),
    appointment_end: instant().nullable().describe('UTC'),
    duration_minutes: z.int(),
    status: appointmentStatus(),
    status_changes: statusChanges(),
    confirmation: z.strictObject({
      status: confirmations.describe('The patient’s answer'),
      at: instant().nullable().describe('Time at which it was confirmed or declined'),
      by: z.string().nullable().describe('patient, or user if a user answered for the patient'),
    }),
    show_on_tasks: z.boolean(),
    initial_sms_sent: z
      .boolean()
      .nullable()
      .describe('Whether a text about it was sent to its patient; false while all wait, were suppressed or failed, null without any'),
    appointment_type_id: z.int().nullable(),
    patient_id: z.int().nullable(),
    office_id: z.int().nullable(),
    location_id: z.int().nullable(),
    waiting_room_id: z.int().nullable(),
    provider_id: z.int().nullable(),
    series_id: z.int().nullable().describe('Series of recurring visits that it belongs to'),
    type: AppointmentTypeShape.nullable(),
    patient: PatientShape.nullable().describe('Null without a patient, for a deleted one, and if the chart is restricted or blocked'),
    patient_restricted: z.boolean().describe('Whether the patient’s chart is restricted or blocked'),
    can_text: CanTextShape,
    office: OfficeShape.nullable(),
    location: LocationShape.nullable(),
    waiting_room: WaitingRoomShape.nullable(),
    users: z.array(UserShape).describe('Participants, sorted by id'),
    created_by: z.int().nullable(),
    created_by_first_name: z.string().nullable(),
    created_by_last_name: z.string().nullable(),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'Appointment' });

export const AppointmentResponse = one(AppointmentShape).meta({ id: 'AppointmentResponse' });
export const SavedAppointmentResponse = one(AppointmentShape).extend({ warnings: WarningsShape }).meta({ id: 'SavedAppointmentResponse' });

/** Whether a value is what a response shows in the place of an id or an answer: a record, or the whole confirmation. */
const isRecord = (sent: unknown): boolean =>
  typeof sent === 'object' && sent !== null && (Object.hasOwn(sent, 'uuid') || Object.hasOwn(sent, 'status'));

/** A field whose value may be such a record, which is then as if left out. */
const orRecord = <T extends z.ZodType>(shape: T) =>
  z.preprocess((sent) => (isRecord(sent) ? undefined : sent), shape.optional()).optional();

/** Known fields whose values are ignored since they are records. */
export const ignoredRecords = (_: unknown, sent: unknown): string[] =>
  Object.entries(sent ?? {}).flatMap(([name, value]) => (Object.hasOwn(AppointmentRequest.shape, name) && isRecord(value) ? [name] : []));

const people = () => optional(z.array(id()).max(APPOINTMENT_LIMITS.users));

/** Names on the wire of each field that a request may set. Where there are two, both may be sent if they agree, or one is null. */
export const APPOINTMENT_NAMES = {
  date: ['appointment_date'],
  timeZone: ['appointment_timezone'],
  patientId: ['patient_id'],
  typeId: ['appointment_type_id', 'type'],
  officeId: ['office_id', 'office'],
  locationId: ['location_id', 'location'],
  waitingRoomId: ['waiting_room_id'],
  providerId: ['provider_id'],
  durationMinutes: ['duration_minutes'],
  slotId: ['slot', 'slot_id'],
  holdId: ['hold', 'hold_id'],
  userIds: ['user[]', 'user'],
  confirmation: ['confirmation'],
  showOnTasks: ['show_on_tasks'],
} as const;

export const AppointmentRequest = withChecks(
  z
    .object({
      appointment_type_id: optional(id()),
      patient_id: optional(id()),
      office_id: optional(id()),
      location_id: optional(id()),
      waiting_room_id: optional(id()),
      provider_id: optional(id()).describe(
        'The provider of the appointment, whose user takes part unless user[] names others; by default the first provider among the participants',
      ),
      appointment_date: optional(moment(APPOINTMENT_LIMITS.date)).describe(
        'With an offset, an instant; without one, local time in the appointment’s time zone',
      ),
      appointment_timezone: optional(timeZone(APPOINTMENT_LIMITS.timeZone)).describe(
        'IANA time zone; defaults to that of the office, then of the organization',
      ),
      duration_minutes: optional(integerBetween(1, APPOINTMENT_LIMITS.durationMinutes)).describe(
        'Length; defaults to that of the appointment type, then of the organization',
      ),
      slot: optional(longId()).describe('A free time from GET /slots: its start, length, provider, office and type'),
      slot_id: optional(longId()).describe('Same as slot'),
      hold: optional(longId()).describe('Id of your hold from POST /slots/hold, instead of slot'),
      hold_id: optional(longId()).describe('Same as hold'),
      type: orRecord(optional(id())).describe('Same as appointment_type_id'),
      office: orRecord(optional(id())).describe('Same as office_id'),
      location: orRecord(optional(id())).describe('Same as location_id'),
      'user[]': people().describe('Ids of the participants; replaces the whole list'),
      user: sameAs(people(), 'user[]'),
      confirmation: orRecord(optional(confirmations)).describe('Answer that the patient gave'),
      notify: optional(changeNotice).describe(
        'How to tell the patient about a move, which defaults to the setting of the practice, or a new appointment',
      ),
      status: updatedStatus(),
      show_on_tasks: optional(bit()).describe('1 or 0; 1 by default for a new appointment'),
    })
    .meta({ id: 'AppointmentRequest' }),
  {
    same: Object.values(APPOINTMENT_NAMES).flatMap(([one, other]) => (other === undefined ? [] : [[one, other] as const])),
    besideOthers: { appointment_date: checkAppointmentDate, appointment_timezone: readAppointmentZone },
  },
);

export const appointmentParams = z.object({ uuid: longId().describe('Appointment id') });

/** Null sets a field to what a new appointment has. */
export function toAppointment(request: z.output<typeof AppointmentRequest>): AppointmentInput {
  const preferSent = <N extends keyof typeof request>(names: readonly N[]) => prefer(...names.map((name) => request[name]));
  const [userIds, confirmation, showOnTasks] = [
    preferSent(APPOINTMENT_NAMES.userIds),
    preferSent(APPOINTMENT_NAMES.confirmation),
    preferSent(APPOINTMENT_NAMES.showOnTasks),
  ];
  return {
    date: preferSent(APPOINTMENT_NAMES.date),
    timeZone: preferSent(APPOINTMENT_NAMES.timeZone),
    patientId: preferSent(APPOINTMENT_NAMES.patientId),
    typeId: preferSent(APPOINTMENT_NAMES.typeId),
    officeId: preferSent(APPOINTMENT_NAMES.officeId),
    locationId: preferSent(APPOINTMENT_NAMES.locationId),
    waitingRoomId: preferSent(APPOINTMENT_NAMES.waitingRoomId),
    providerId: preferSent(APPOINTMENT_NAMES.providerId),
    durationMinutes: preferSent(APPOINTMENT_NAMES.durationMinutes),
    slotId: preferSent(APPOINTMENT_NAMES.slotId),
    holdId: preferSent(APPOINTMENT_NAMES.holdId),
    userIds: userIds === null ? [] : userIds,
    confirmation: confirmation === null ? 'Pending' : confirmation,
    showOnTasks: showOnTasks === null ? true : showOnTasks,
    status: request.status === null ? 'scheduled' : request.status,
    notify: request.notify,
  };
}

/** Facts that an appointment shows beside its own records. */
export interface ShownBeside {
  canText: CanTextOf;
  /** Ids of series by those of their visits. */
  seriesIds: ReadonlyMap<number, number>;
}

export function fromAppointment(appointment: Appointment, { canText, seriesIds }: ShownBeside): z.input<typeof AppointmentShape> {
  const { createdBy, type, patient, office, location, waitingRoom } = appointment;
  return {
    uuid: appointment.id,
    appointment_date: appointment.startsAt,
    appointment_date_local: appointment.localStart,
    appointment_timezone: appointment.timeZone,
    appointment_end: appointment.endsAt,
    duration_minutes: appointment.durationMinutes,
    status: appointment.status,
    status_changes: fromStatusChanges(appointment.statusChanges),
    confirmation: { status: appointment.confirmation, at: appointment.confirmedAt, by: appointment.confirmedBy },
    show_on_tasks: appointment.showOnTasks,
    initial_sms_sent: appointment.initialSmsSent,
    appointment_type_id: appointment.typeId,
    patient_id: patient?.id ?? null,
    office_id: appointment.officeId,
    location_id: appointment.locationId,
    waiting_room_id: appointment.waitingRoomId,
    provider_id: appointment.providerId,
    series_id: seriesIds.get(appointment.id) ?? null,
    type: type && fromAppointmentType(type),
    patient: patient && fromPatient(patient),
    patient_restricted: appointment.patientRestricted,
    can_text: fromCanText(canText.patient(patient?.id ?? null)),
    office: office && fromOffice(office),
    location: location && fromLocation(location),
    waiting_room: waitingRoom && fromWaitingRoom(waitingRoom),
    users: appointment.users.map(fromUser),
    created_by: createdBy?.id ?? null,
    created_by_first_name: createdBy?.firstName ?? null,
    created_by_last_name: createdBy?.lastName ?? null,
    created_at: appointment.createdAt,
    updated_at: appointment.updatedAt,
  };
}

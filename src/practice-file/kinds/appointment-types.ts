import { z } from 'zod';
import { APPOINTMENT_LIMITS } from '../../domain/scheduling/appointment/field-limits.ts';
import { MODALITIES } from '../../domain/scheduling/free-time/opening-hours.ts';
import {
  createAppointmentType,
  deleteAppointmentType,
  listOwnAppointmentTypes,
  organizationsUsing,
  updateAppointmentType,
} from '../../domain/scheduling/types/appointment-types.ts';
import { active, bookers, clearable, field, text, whole } from '../fields.ts';
import { kind } from '../kind.ts';
import { toStored } from '../stored.ts';

const minutes = (longest: number, description: string) => field(whole(0, longest), description);

/** Rules of the slots that are shown. Staff book other times, too. */
const bookingRules = {
  bufferBefore: minutes(APPOINTMENT_LIMITS.bufferMinutes, 'Minutes before a visit that stay free'),
  bufferAfter: minutes(APPOINTMENT_LIMITS.bufferMinutes, 'Minutes after a visit that stay free'),
  leadMinutes: minutes(APPOINTMENT_LIMITS.leadMinutes, 'Minimum notice in minutes for booking a slot'),
  latestDays: clearable(
    whole(1, APPOINTMENT_LIMITS.latestDays),
    'Maximum number of days ahead that a slot can be booked; null for no limit',
  ),
  modality: field(z.enum(MODALITIES), 'How the visit takes place'),
  capacity: field(whole(1, APPOINTMENT_LIMITS.capacity), 'Patients in one slot'),
  bookableBy: field(bookers(), 'Who may book its slots: staff, apps (programs), patient (with a link)'),
};

const TYPE = z.strictObject({
  name: field(text(APPOINTMENT_LIMITS.typeName), 'Name of the appointment type'),
  description: clearable(text(APPOINTMENT_LIMITS.typeDescription), 'Purpose'),
  durationMinutes: clearable(
    whole(1, APPOINTMENT_LIMITS.durationMinutes),
    'Length of its appointments in minutes; null for that of the practice',
  ),
  isGlobal: field(z.boolean(), 'Whether all practices can use it'),
  ...bookingRules,
  active: active('Whether it can be booked'),
});

export const appointmentTypeKind = kind({
  name: 'appointmentTypes',
  one: 'appointment type',
  names: ['name'],
  table: 'appointment_type',
  shape: TYPE,
  whole: TYPE.required({ name: true }),
  read: async ({ tx }) => (await listOwnAppointmentTypes(tx)).map((row) => toStored(TYPE, row)),
  sharedWith: ({ tx }, id) => organizationsUsing(tx, id),
  create: ({ tx }, item) => createAppointmentType(tx, item),
  change: ({ tx }, id, changes) => updateAppointmentType(tx, id, changes),
  remove: ({ tx }, id) => deleteAppointmentType(tx, id),
});

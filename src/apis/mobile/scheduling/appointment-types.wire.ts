import { z } from 'zod';
import { APPOINTMENT_LIMITS } from '../../../domain/scheduling/appointment/field-limits.ts';
import { BOOKERS, MODALITIES } from '../../../domain/scheduling/free-time/opening-hours.ts';
import type { AppointmentType, AppointmentTypeInput, TypeWithRules } from '../../../domain/scheduling/types/appointment-types.ts';
import {
  bit,
  id,
  ignoredId,
  instant,
  integerBetween,
  multilineText,
  optional,
  paging,
  renameFields,
  text,
  updatedSince,
} from '../../../http/wire/wire-types.ts';
import { one, wrapList } from '../shared.wire.ts';
import { BookableByShape, bookableBy } from './free-time/availability.wire.ts';

export const AppointmentTypeShape = z
  .strictObject({
    uuid: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    duration_minutes: z.int().nullable().describe('Null for the default length of the organization'),
    active: z.int().describe('1 or 0'),
    is_global: z.int().describe('1 for a type that all organizations can use and only the operator of the server can change, otherwise 0'),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'AppointmentType' });

const TypeWithRulesShape = AppointmentTypeShape.extend({
  buffer_before: z.int().describe('Minutes before an appointment that stay free'),
  buffer_after: z.int().describe('Minutes after an appointment that stay free'),
  lead_minutes: z.int().describe('Minimum notice in minutes for booking a slot'),
  latest_days: z.int().nullable().describe('Maximum number of days ahead that a slot can be booked; null for no limit'),
  modality: z.enum(MODALITIES).describe('How the visit takes place'),
  capacity: z.int().describe('Number of patients per slot'),
  bookable_by: BookableByShape,
}).meta({ id: 'AppointmentTypeWithRules' });

export const AppointmentTypeResponse = one(TypeWithRulesShape).meta({ id: 'AppointmentTypeResponse' });
export const AppointmentTypeList = wrapList(TypeWithRulesShape).meta({ id: 'AppointmentTypeList' });

const name = text(APPOINTMENT_LIMITS.typeName).min(1);

const minutes = (most: number, description: string) => optional(integerBetween(0, most)).describe(description);

const described = {
  description: optional(multilineText(APPOINTMENT_LIMITS.typeDescription)),
  duration_minutes: optional(integerBetween(1, APPOINTMENT_LIMITS.durationMinutes)).describe(
    'Length of new appointments; defaults to that of the organization',
  ),
  active: optional(bit()).describe('1 or 0; 1 by default for a new type'),
  is_global: optional(bit()).describe(
    '0; 1 only for a type that is already global, since only the operator of the server can make a type global',
  ),
  buffer_before: minutes(APPOINTMENT_LIMITS.bufferMinutes, 'Minutes before an appointment that stay free; 0 by default'),
  buffer_after: minutes(APPOINTMENT_LIMITS.bufferMinutes, 'Minutes after an appointment that stay free; 0 by default'),
  lead_minutes: minutes(APPOINTMENT_LIMITS.leadMinutes, 'Minimum notice in minutes for booking a slot; 0 by default'),
  latest_days: optional(integerBetween(1, APPOINTMENT_LIMITS.latestDays)).describe(
    'Maximum number of days ahead that a slot can be booked; null for no limit',
  ),
  modality: optional(z.enum(MODALITIES)).describe('How the visit takes place; in_person by default'),
  capacity: optional(integerBetween(1, APPOINTMENT_LIMITS.capacity)).describe('Number of patients per slot; 1 by default'),
  bookable_by: bookableBy(),
};

export const AppointmentTypeCreate = z
  .object({ uuid: ignoredId('Ignored: assigned by the server'), name, ...described })
  .meta({ id: 'AppointmentTypeCreate' });

export const AppointmentTypeUpdate = z
  .object({ uuid: optional(id()).describe('Id of the type, as in the path'), name: name.optional(), ...described })
  .meta({ id: 'AppointmentTypeUpdate' });

export const appointmentTypeParams = z.object({ uuid: id().describe('Appointment type id') });
export const appointmentTypesQuery = z.object({ ...updatedSince, ...paging });

export function fromAppointmentType(type: AppointmentType): z.input<typeof AppointmentTypeShape> {
  return {
    uuid: type.id,
    name: type.name,
    description: type.description,
    duration_minutes: type.durationMinutes,
    active: Number(type.active),
    is_global: Number(type.isGlobal),
    created_at: type.createdAt,
    updated_at: type.updatedAt,
  };
}

export const fromTypeWithRules = (type: TypeWithRules): z.input<typeof TypeWithRulesShape> => ({
  ...fromAppointmentType(type),
  buffer_before: type.bufferBefore,
  buffer_after: type.bufferAfter,
  lead_minutes: type.leadMinutes,
  latest_days: type.latestDays,
  modality: type.modality,
  capacity: type.capacity,
  bookable_by: type.bookableBy,
});

export const APPOINTMENT_TYPE_NAMES = {
  name: 'name',
  description: 'description',
  durationMinutes: 'duration_minutes',
  active: 'active',
  isGlobal: 'is_global',
  bufferBefore: 'buffer_before',
  bufferAfter: 'buffer_after',
  leadMinutes: 'lead_minutes',
  latestDays: 'latest_days',
  modality: 'modality',
  capacity: 'capacity',
  bookableBy: 'bookable_by',
} as const;

/** Null sets a field to what a new type has. */
export function toAppointmentType(request: Omit<z.output<typeof AppointmentTypeUpdate>, 'uuid'>): AppointmentTypeInput {
  const fields = renameFields(request, APPOINTMENT_TYPE_NAMES);
  return {
    ...fields,
    active: orNew(fields.active, true),
    isGlobal: orNew(fields.isGlobal, false),
    bufferBefore: orNew(fields.bufferBefore, 0),
    bufferAfter: orNew(fields.bufferAfter, 0),
    leadMinutes: orNew(fields.leadMinutes, 0),
    modality: orNew(fields.modality, 'in_person'),
    capacity: orNew(fields.capacity, 1),
    bookableBy: orNew(fields.bookableBy, [...BOOKERS]),
  };
}

const orNew = <T>(value: T | null | undefined, ofNew: T): T | undefined => (value === null ? ofNew : value);

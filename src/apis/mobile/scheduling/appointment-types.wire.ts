import { z } from 'zod';
import { APPOINTMENT_LIMITS } from '../../../domain/scheduling/field-limits.ts';
import type { AppointmentType, AppointmentTypeInput } from '../../../domain/scheduling/types/appointment-types.ts';
import {
  bit,
  id,
  ignoredId,
  instant,
  integerBetween,
  multilineText,
  optional,
  paging,
  renamed,
  text,
  updatedSince,
} from '../../../http/wire/wire-types.ts';
import { listOf, one } from '../shared.wire.ts';

export const AppointmentTypeShape = z
  .strictObject({
    uuid: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    duration_minutes: z.int().nullable().describe('Null for the default length of the organization'),
    active: z.int().describe('1 or 0'),
    is_global: z.int().describe('1 for a type that all organizations may use and only the operator of the server may change, otherwise 0'),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'AppointmentType' });

export const AppointmentTypeResponse = one(AppointmentTypeShape).meta({ id: 'AppointmentTypeResponse' });
export const AppointmentTypeList = listOf(AppointmentTypeShape).meta({ id: 'AppointmentTypeList' });

const name = text(APPOINTMENT_LIMITS.typeName).min(1);

const described = {
  description: optional(multilineText(APPOINTMENT_LIMITS.typeDescription)),
  duration_minutes: optional(integerBetween(1, APPOINTMENT_LIMITS.durationMinutes)).describe(
    'Length of new appointments; defaults to that of the organization',
  ),
  active: optional(bit()).describe('1 or 0; 1 by default for a new type'),
  is_global: optional(bit()).describe(
    '0; 1 only where the type is global already, since only the operator of the server makes a type global',
  ),
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

/** Name on the wire of each field that a request may set. */
export const APPOINTMENT_TYPE_NAMES = {
  name: 'name',
  description: 'description',
  durationMinutes: 'duration_minutes',
  active: 'active',
  isGlobal: 'is_global',
} as const;

/** Null sets a field to what a new type has. */
export function toAppointmentType(request: Omit<z.output<typeof AppointmentTypeUpdate>, 'uuid'>): AppointmentTypeInput {
  const fields = renamed(request, APPOINTMENT_TYPE_NAMES);
  return { ...fields, active: fields.active === null ? true : fields.active, isGlobal: fields.isGlobal === null ? false : fields.isGlobal };
}

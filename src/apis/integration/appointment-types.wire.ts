import { z } from 'zod';
import { APPOINTMENT_LIMITS } from '../../domain/scheduling/appointment/field-limits.ts';
import type { AppointmentType, AppointmentTypeInput } from '../../domain/scheduling/types/appointment-types.ts';
import { bit, id, ignoredId, multilineText, optional, paging, renameFields, text, updatedSince } from '../../http/wire/wire-types.ts';

export const AppointmentTypeShape = z
  .strictObject({
    uuid: z.int().describe('Appointment type id'),
    name: z.string().describe('Name of the type'),
    description: z.string().nullable().describe('Purpose of the appointment'),
    active: z.int().describe('1 or 0'),
    is_global: z.int().describe('1 for a type that all organizations can use and only the operator of the server can change, otherwise 0'),
  })
  .meta({ id: 'AppointmentType' });

const name = text(APPOINTMENT_LIMITS.typeName).min(1).describe('Name of the type');

const described = {
  description: optional(multilineText(APPOINTMENT_LIMITS.typeDescription)).describe('Purpose of the appointment'),
  active: optional(bit()).describe('1 or 0; 1 by default for a new type'),
  is_global: optional(bit()).describe('0, or 1 for a type that is already global; only the operator of the server can make a type global'),
};

export const AppointmentTypeCreate = z
  .object({ uuid: ignoredId('Ignored: assigned by the server'), name, ...described })
  .meta({ id: 'AppointmentTypeCreate' });

export const AppointmentTypeUpdate = z
  .object({ uuid: id().describe('Id of the type to update'), name: name.optional().describe('Name of the type'), ...described })
  .meta({ id: 'AppointmentTypeUpdate' });

export const AppointmentTypeFields = z
  .object({
    uuid: id().optional().describe('Id of the type, as in the path'),
    name: name.optional().describe('Name of the type'),
    ...described,
  })
  .meta({ id: 'AppointmentTypeFields' });

export const appointmentTypeParams = z.object({ uuid: id().describe('Appointment type id') });

export const AppointmentTypeResponse = z.strictObject({ data: AppointmentTypeShape }).meta({ id: 'AppointmentTypeResponse' });

export const Links = z
  .strictObject({
    first: z.string().describe('Address of the first page'),
    last: z.string().describe('Address of the last page'),
    next: z.string().nullable().describe('Address of the next page; null on the last one'),
    prev: z.string().nullable().describe('Address of the previous page; null on the first one'),
  })
  .meta({ id: 'Links' });

/** Facts about a list besides its links: there are none so far. */
export const listMeta = z.strictObject({}).nullable().describe('Null in lists');

export const GetAppointmentTypesResponse = z
  .strictObject({ data: z.array(AppointmentTypeShape).describe('The appointment types of this page'), links: Links, meta: listMeta })
  .meta({ id: 'GetAppointmentTypesResponse' });

export const listQuery = z.object({ ...updatedSince, ...paging });

export function fromAppointmentType(type: AppointmentType): z.input<typeof AppointmentTypeShape> {
  return { uuid: type.id, name: type.name, description: type.description, active: Number(type.active), is_global: Number(type.isGlobal) };
}

export const APPOINTMENT_TYPE_NAMES = {
  name: 'name',
  description: 'description',
  active: 'active',
  isGlobal: 'is_global',
} as const;

/** Null sets a field to what a new type has. */
export function toAppointmentType(request: Omit<z.output<typeof AppointmentTypeUpdate>, 'uuid'>): AppointmentTypeInput {
  const fields = renameFields(request, APPOINTMENT_TYPE_NAMES);
  return { ...fields, active: fields.active === null ? true : fields.active, isGlobal: fields.isGlobal === null ? false : fields.isGlobal };
}

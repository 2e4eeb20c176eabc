import { z } from 'zod';
import type { AppointmentType, AppointmentTypeInput } from '../../domain/appointment-types.ts';
import { invalid } from '../../domain/errors.ts';
import { lastPage, type Page } from '../../domain/paging.ts';
import { id, paging, text } from '../../http/fields.ts';

/** 1 or 0; true and false are understood too. */
const bit = () => z.union([z.literal(0), z.literal(1), z.boolean()], { error: 'must be 1 or 0' }).transform(Boolean).meta({ type: 'integer', enum: [0, 1] });

export const AppointmentTypeShape = z
  .strictObject({
    uuid: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    active: z.int().describe('1 or 0'),
    is_global: z.int().describe('1 for a type that all organizations may use and only its owner may change, else 0'),
  })
  .meta({ id: 'AppointmentType' });

export const AppointmentTypeRequest = z
  .object({
    uuid: id().nullable().optional().describe('Which type to change; ignored on create'),
    name: text(200).nullable().optional(),
    description: text(2_000).nullable().optional(),
    active: bit().nullable().optional(),
    is_global: bit().nullable().optional(),
  })
  .meta({ id: 'AppointmentTypeRequest' });

export type AppointmentTypeRequest = z.output<typeof AppointmentTypeRequest>;

export const AppointmentTypeResponse = z.strictObject({ data: AppointmentTypeShape }).meta({ id: 'AppointmentTypeResponse' });

const Links = z
  .strictObject({ first: z.string(), last: z.string(), next: z.string().nullable(), prev: z.string().nullable() })
  .meta({ id: 'Links' });

export const GetAppointmentTypesResponse = z
  .strictObject({ data: z.array(AppointmentTypeShape), links: Links, meta: z.null() })
  .meta({ id: 'GetAppointmentTypesResponse' });

export const listQuery = z.object(paging);

export function fromAppointmentType(type: AppointmentType): z.input<typeof AppointmentTypeShape> {
  return { uuid: type.id, name: type.name, description: type.description, active: Number(type.active), is_global: Number(type.isGlobal) };
}

/** @throws Failure when the name is null or empty */
export function toAppointmentType(request: AppointmentTypeRequest): AppointmentTypeInput {
  if (request.name !== undefined && (request.name ?? '').trim() === '') throw invalid('name', 'must not be empty');
  return {
    name: request.name ?? undefined,
    description: request.description,
    active: request.active ?? undefined,
    isGlobal: request.is_global ?? undefined,
  };
}

/** A page with its links, which keep the length of the page. */
export function fromAppointmentTypes(types: Page<AppointmentType>, path: string): z.input<typeof GetAppointmentTypesResponse> {
  const last = lastPage(types);
  const link = (page: number) => `${path}?page=${page}&limit=${types.limit}`;
  return {
    data: types.items.map(fromAppointmentType),
    links: {
      first: link(1),
      last: link(last),
      next: types.page < last ? link(types.page + 1) : null,
      prev: types.page > 1 ? link(Math.min(types.page - 1, last)) : null,
    },
    meta: null,
  };
}

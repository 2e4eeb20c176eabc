import type { Db } from '../database.ts';
import type { AppointmentType } from '../generated/prisma/client.ts';
import type { Caller } from './caller.ts';
import { conflict, notFound } from './errors.ts';
import { recordChange } from './journal.ts';
import { type Page, type PageRequest, window } from './paging.ts';

export type { AppointmentType };

export interface AppointmentTypeInput {
  name?: string | undefined;
  description?: string | null | undefined;
  active?: boolean | undefined;
  isGlobal?: boolean | undefined;
}

/** What an organization may use: its own types and the global ones of others. */
const visibleTo = ({ organizationId }: Caller) => ({ OR: [{ organizationId }, { isGlobal: true }] });

/** The types that the organization may use, by id. */
export async function listAppointmentTypes(db: Db, caller: Caller, page: PageRequest): Promise<Page<AppointmentType>> {
  const where = visibleTo(caller);
  const [items, total] = await Promise.all([
    db.appointmentType.findMany({ where, orderBy: { id: 'asc' }, ...window(page) }),
    db.appointmentType.count({ where }),
  ]);
  return { ...page, items, total };
}

/** @throws Failure not_found when the organization may not use it; `field` is where its id was written */
export async function findAppointmentType(db: Db, caller: Caller, id: number, field?: string): Promise<AppointmentType> {
  const type = await db.appointmentType.findFirst({ where: { id, ...visibleTo(caller) } });
  if (!type) throw notFound('appointment type', field);
  return type;
}

export async function createAppointmentType(db: Db, caller: Caller, input: AppointmentTypeInput & { name: string }): Promise<AppointmentType> {
  const { organizationId } = caller;
  const type = await db.appointmentType.create({
    data: { organizationId, name: input.name, description: input.description ?? null, active: input.active ?? true, isGlobal: input.isGlobal ?? false },
  });
  recordChange(caller, 'create', { name: 'appointment_type.created', subject: 'appointment_type', id: type.id });
  return type;
}

/**
 * Changes what is given. Only the owner may; another organization's global type is read-only, so for writing it does
 * not exist. A type that others' appointments use cannot stop being global.
 * @throws Failure not_found, conflict
 */
export async function updateAppointmentType(db: Db, caller: Caller, id: number, input: AppointmentTypeInput): Promise<AppointmentType> {
  const { organizationId } = caller;
  const key = { organizationId_id: { organizationId, id } };
  const before = await db.appointmentType.findUnique({ where: key });
  if (!before) throw notFound('appointment type', 'uuid');
  if (before.isGlobal && input.isGlobal === false) {
    const used = await db.appointment.findFirst({
      where: { typeOrganizationId: organizationId, typeId: id, organizationId: { not: organizationId } },
      select: { id: true },
    });
    if (used) throw conflict('appointment_type_in_use', 'The type is in use elsewhere and stays global.', 'is_global');
  }
  const changed = Object.entries(input).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  const type = await db.appointmentType.update({ where: key, data: withoutUndefined(input) });
  recordChange(caller, 'update', { name: 'appointment_type.updated', subject: 'appointment_type', id, changed });
  return type;
}

/** An update names only what was given. */
function withoutUndefined({ name, description, active, isGlobal }: AppointmentTypeInput) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(active === undefined ? {} : { active }),
    ...(isGlobal === undefined ? {} : { isGlobal }),
  };
}

import type { Db } from '../database.ts';
import type { AppointmentType } from '../generated/prisma/client.ts';
import type { Caller } from './caller.ts';
import { changesTo } from './changes.ts';
import { conflict, notFound } from './errors.ts';
import { type Page, type PageRequest, window } from './paging.ts';
import { recordChange } from './recording.ts';

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

/** As findAppointmentType, for an appointment about to have it: another organization's type stays global until the transaction ends. */
export async function holdAppointmentType(db: Db, caller: Caller, id: number, field: string): Promise<AppointmentType> {
  const type = await findAppointmentType(db, caller, id, field);
  if (type.organizationId === caller.organizationId) return type;
  const held = await db.$queryRaw<unknown[]>`
    SELECT id FROM appointment_type WHERE organization_id = ${type.organizationId} AND id = ${id} AND is_global FOR SHARE`;
  if (held.length === 0) throw notFound('appointment type', field);
  return type;
}

export async function createAppointmentType(
  db: Db,
  caller: Caller,
  input: AppointmentTypeInput & { name: string },
): Promise<AppointmentType> {
  const { organizationId } = caller;
  const fields = changesTo({}, input);
  const type = await db.appointmentType.create({ data: { ...fields, name: input.name, organizationId } });
  recordChange(caller, 'create', {
    name: 'appointment_type.created',
    subject: 'appointment_type',
    id: type.id,
    changed: Object.keys(fields),
  });
  return type;
}

/**
 * Changes what is given, and is no change when all of that stands already. Only the owner may; another organization's
 * global type is read-only, so for writing it does not exist. A type that others' appointments use stays global.
 * @throws Failure not_found, conflict
 */
export async function updateAppointmentType(db: Db, caller: Caller, id: number, input: AppointmentTypeInput): Promise<AppointmentType> {
  const { organizationId } = caller;
  const key = { organizationId_id: { organizationId, id } };
  await db.$queryRaw`SELECT id FROM appointment_type WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const before = await db.appointmentType.findUnique({ where: key });
  if (!before) throw notFound('appointment type', 'id');
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return before;
  if (changes.isGlobal === false) await checkUnusedElsewhere(db, before);
  const type = await db.appointmentType.update({ where: key, data: changes });
  recordChange(caller, 'update', { name: 'appointment_type.updated', subject: 'appointment_type', id, changed });
  return type;
}

async function checkUnusedElsewhere(db: Db, { organizationId, id }: AppointmentType): Promise<void> {
  const used = await db.appointment.findFirst({
    where: { typeOrganizationId: organizationId, typeId: id, organizationId: { not: organizationId } },
    select: { id: true },
  });
  if (used) throw conflict('appointment_type_in_use', 'The type is in use elsewhere and stays global.', 'isGlobal');
}

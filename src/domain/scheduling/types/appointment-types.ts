import type { Db } from '../../../database/database.ts';
import type { AppointmentType as StoredType } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { type Caller, isOperator } from '../../caller.ts';
import { conflict, forbidden, notFound } from '../../errors.ts';
import { inPractice, type PracticeTx, type Tx } from '../../tx.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { writeInstant } from '../../values/time/time.ts';
import { BOOKERS, type Booker } from '../free-time/opening-hours.ts';

/** An appointment type as appointments name it; instants in UTC, such as `2026-03-08T14:30:00Z`. */
export interface AppointmentType {
  id: number;
  name: string;
  description: string | null;
  /** Null for the default length of the organization. */
  durationMinutes: number | null;
  active: boolean;
  /** All organizations may use it; only the operator changes it. */
  isGlobal: boolean;
  createdAt: string;
  updatedAt: string;
}

export interface TypeWithRules extends AppointmentType, Omit<StoredType, keyof AppointmentType | 'organizationId' | 'bookableBy'> {
  bookableBy: Booker[];
}

const toView = ({ organizationId: _own, bookableBy, createdAt, updatedAt, ...type }: StoredType): TypeWithRules => ({
  ...type,
  bookableBy: BOOKERS.filter((one) => bookableBy.includes(one)),
  createdAt: writeInstant(createdAt),
  updatedAt: writeInstant(updatedAt),
});

/**
 * Only the operator makes a type global. A length that is null is the default of the organization; existing appointments keep theirs. Buffers, lead
 * and latest time, capacity and who may book rule the slots that are shown, and no booking by time.
 */
export type AppointmentTypeInput = {
  [K in Exclude<keyof TypeWithRules, 'id' | 'createdAt' | 'updatedAt'>]?: TypeWithRules[K] | undefined;
};

/** Condition for the types that an organization may use: its own, and the global ones of others. */
export const whereVisibleType = ({ organizationId }: Caller) => ({ OR: [{ organizationId }, { isGlobal: true }] });

/** The same for changes: an operator changes a global type in its owner's name alone; others are refused, since they can read it. */
const changeableBy = (caller: Caller) => (isOperator(caller) ? { organizationId: caller.organizationId } : whereVisibleType(caller));

/** @throws Failure forbidden */
function requireOperator(caller: Caller): void {
  if (!isOperator(caller))
    throw forbidden(
      'global_type_operator_only',
      'Only the operator of the server can make an appointment type global, or change a global one.',
    );
}

/** The types that the organization may use, by id. @param updatedSince only those that changed at this instant or later */
export async function listAppointmentTypes(tx: Tx, page: PageRequest, updatedSince?: Date): Promise<Page<TypeWithRules>> {
  const where = { ...whereVisibleType(tx), ...(updatedSince ? { updatedAt: { gte: updatedSince } } : {}) };
  const [items, total] = await Promise.all([
    tx.prisma.appointmentType.findMany({ where, orderBy: { id: 'asc' }, ...window(page) }),
    tx.prisma.appointmentType.count({ where }),
  ]);
  return { ...page, items: items.map(toView), total };
}

/** The organization's own types, by id. */
export async function listOwnAppointmentTypes(tx: Tx): Promise<TypeWithRules[]> {
  const types = await tx.prisma.appointmentType.findMany({ where: tx.practice, orderBy: { id: 'asc' } });
  return types.map(toView);
}

/** @param field where its id was written. @throws Failure not_found where the organization may not use it */
export async function findAppointmentType(tx: Tx, id: number, field?: string): Promise<TypeWithRules> {
  const type = await tx.prisma.appointmentType.findFirst({ where: { id, ...whereVisibleType(tx) } });
  if (!type) throw notFound('appointment type', field);
  return toView(type);
}

/** @throws Failure forbidden where the input makes a global type, and the caller is no operator */
export async function createAppointmentType(tx: Tx, input: AppointmentTypeInput & { name: string }): Promise<TypeWithRules> {
  if (input.isGlobal) requireOperator(tx);
  const fields = changesTo({}, input);
  if (input.active !== false) await warnOfSameName(tx, input.name);
  const type = await tx.prisma.appointmentType.create({ data: { ...fields, name: input.name, ...tx.practice } });
  recordChange(tx, 'create', {
    name: 'appointment_type.created',
    id: type.id,
    changed: Object.keys(fields),
  });
  return toView(type);
}

/**
 * Changes the fields that differ. A type that another organization's appointments use stays global.
 * @throws Failure not_found, conflict; forbidden where the type is global, or would be, and the caller is no operator
 */
export async function updateAppointmentType(tx: Tx, id: number, input: AppointmentTypeInput): Promise<TypeWithRules> {
  await tx.prisma.$queryRaw`SELECT id FROM appointment_type WHERE organization_id = ${tx.organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const before = await tx.prisma.appointmentType.findFirst({ where: { id, ...changeableBy(tx) } });
  if (!before) throw notFound('appointment type', 'id');
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return toView(before);
  if (before.isGlobal || changes.isGlobal) requireOperator(tx);
  if (changes.isGlobal === false) await checkUnusedElsewhere(tx.prisma, before);
  const after = { ...before, ...changes };
  if (after.active && (changes.name !== undefined || changes.active)) await warnOfSameName(tx, after.name, id);
  const { organizationId } = before;
  const type = await tx.prisma.appointmentType.update({ where: { organizationId_id: { organizationId, id } }, data: changes });
  recordChange(tx, 'update', { name: 'appointment_type.updated', id, changed });
  return toView(type);
}

/**
 * Deletes a type of the organization's own that no appointment has, and no hours, waitlist or messages; a cancelled appointment keeps its type too.
 * @throws Failure not_found; forbidden for a global type; conflict that says how many appointments have it
 */
export async function deleteAppointmentType(tx: Tx, id: number): Promise<void> {
  // Waits for appointments that are being created with it; later ones do not find it.
  await tx.prisma.$queryRaw`SELECT id FROM appointment_type WHERE organization_id = ${tx.organizationId} AND id = ${id} FOR UPDATE`;
  const type = await tx.prisma.appointmentType.findFirst({
    where: { id, ...changeableBy(tx) },
    select: { organizationId: true, isGlobal: true },
  });
  if (!type) throw notFound('appointment type');
  if (type.isGlobal) requireOperator(tx);
  await checkUnused(tx, id);
  await tx.prisma.appointmentType.delete({ where: tx.key(id), select: { id: true } });
  recordChange(tx, 'delete', { name: 'appointment_type.deleted', id });
}

/** Two active types of one name cannot be told apart where people choose one: the response names the field. @param own the type that gets the name */
async function warnOfSameName(tx: Tx, name: string, own = 0): Promise<void> {
  const { organizationId, journal } = tx;
  const [holder] = await tx.prisma.$queryRaw<{ id: number }[]>`
    SELECT t.id FROM appointment_type t
     WHERE t.organization_id = ${organizationId}::int AND t.active AND t.id <> ${own}::int AND fold(t.name) = fold(${name}::text)
     LIMIT 1`;
  if (holder) journal.warnings.push('name');
}

async function checkUnused(tx: Tx, id: number): Promise<void> {
  const { organizationId } = tx;
  const tied = { typeOrganizationId: organizationId, typeId: id };
  const own = await tx.prisma.appointment.count({ where: { ...tied, organizationId } });
  const cancelled = own === 0 ? 0 : await tx.prisma.appointment.count({ where: { ...tied, organizationId, status: 'cancelled' } });
  if (own > 0) {
    const [count, have] = own === 1 ? ['1 appointment', 'has'] : [`${own} appointments`, 'have'];
    const kept = cancelled === 0 ? '' : ` (${cancelled} cancelled, kept in the history)`;
    throw conflict('appointment_type_in_use', `${count} ${have} this type${kept}. Set it inactive instead.`);
  }
  const planned = { organizationId, typeIds: { has: id } };
  const places = [
    { named: await tx.prisma.availability.count({ where: planned }), where: 'hours of providers' },
    { named: await tx.prisma.waitlistEntry.count({ where: { organizationId, typeId: id, status: 'waiting' } }), where: 'the waitlist' },
    {
      named: await tx.prisma.visitMessageRule.count({ where: { organizationId, appointmentTypeId: id } }),
      where: 'the messages about visits',
    },
  ].filter(({ named }) => named > 0);
  if (places.length > 0) {
    const list = places.map(({ where }) => where).join(' and ');
    throw conflict('appointment_type_in_use', `The type is used in ${list}. Remove it there first, or set it inactive instead.`);
  }
  // Other organizations' numbers are not disclosed.
  const used = await tx.prisma.appointment.findFirst({ where: tied, select: { id: true } });
  if (used) throw conflict('appointment_type_in_use', 'The type is in use elsewhere. Set it inactive instead.');
}

async function checkUnusedElsewhere(db: Db, { organizationId, id }: StoredType): Promise<void> {
  if (await isUsedElsewhere(inPractice(db, organizationId), id))
    throw conflict('appointment_type_in_use', 'The type is in use elsewhere and stays global.', 'isGlobal');
}

/** The other organizations whose appointments have the type, by id. */
export async function organizationsUsing(tx: PracticeTx, id: number): Promise<number[]> {
  const where = { typeOrganizationId: tx.organizationId, typeId: id, ownTypeId: null };
  const rows = await tx.prisma.appointment.groupBy({ by: ['organizationId'], where, orderBy: { organizationId: 'asc' } });
  return rows.map((row) => row.organizationId);
}

/** Whether an appointment of another organization has the type. */
async function isUsedElsewhere(tx: PracticeTx, id: number): Promise<boolean> {
  const where = { typeOrganizationId: tx.organizationId, typeId: id, ownTypeId: null };
  return (await tx.prisma.appointment.findFirst({ where, select: { id: true } })) !== null;
}

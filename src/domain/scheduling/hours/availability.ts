import type { Db } from '../../../database/database.ts';
import type { Availability, Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { forbidden, invalid, notFound, WrongFields } from '../../errors.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { whereVisibleType } from '../types/appointment-types.ts';

/** Weekly hours of a provider at an office, on its clocks. */
export type WeeklyHours = Omit<Availability, 'organizationId'>;
export type HoursInput = Omit<WeeklyHours, 'id' | 'createdAt' | 'updatedAt'>;

/** Hours of these providers and offices; null for all. */
export interface HoursFilter {
  providerId: number | null;
  officeId: number | null;
}

/** By provider, weekday and time. */
export async function listAvailability(
  db: Db,
  { organizationId }: Caller,
  { providerId, officeId }: HoursFilter,
  page: PageRequest,
): Promise<Page<WeeklyHours>> {
  const where = { organizationId, ...(providerId === null ? {} : { providerId }), ...(officeId === null ? {} : { officeId }) };
  const orderBy = [
    { providerId: 'asc' },
    { weekday: 'asc' },
    { fromMinute: 'asc' },
    { id: 'asc' },
  ] satisfies Prisma.AvailabilityOrderByWithRelationInput[];
  const [items, total] = await Promise.all([
    db.availability.findMany({ where, orderBy, ...window(page) }),
    db.availability.count({ where }),
  ]);
  return { ...page, items, total };
}

/** @throws Failure not_found */
export async function findAvailability(db: Db, { organizationId }: Caller, id: number): Promise<WeeklyHours> {
  const hours = await db.availability.findUnique({ where: { organizationId_id: { organizationId, id } } });
  if (!hours) throw notFound('availability');
  return hours;
}

/** @throws Failure not_found for unknown references; invalid; forbidden for the hours of another provider */
export async function createAvailability(db: Db, caller: Caller, input: HoursInput): Promise<WeeklyHours> {
  const [hours] = await createAvailabilities(db, caller, [input]);
  if (!hours) throw new Error('hours that were created were not returned');
  return hours;
}

/** Adds hours, all or none. @throws Failure as createAvailability */
export async function createAvailabilities(db: Db, caller: Caller, inputs: readonly HoursInput[]): Promise<WeeklyHours[]> {
  if (inputs.length === 0) return [];
  const { organizationId } = caller;
  for (const providerId of new Set(inputs.map((input) => input.providerId))) await requireOwnTime(db, caller, providerId);
  await checkHours(db, caller, inputs);
  const created = await db.availability.createManyAndReturn({ data: inputs.map((input) => ({ ...input, organizationId })) });
  for (const [index, { id }] of created.entries())
    recordChange(caller, 'create', { name: 'availability.created', id, changed: Object.keys(inputs[index] ?? {}) });
  return created;
}

/** Changes the fields that differ. Visits that are booked stay where they are. @throws Failure as createAvailability */
export async function changeAvailability(db: Db, caller: Caller, id: number, input: Partial<HoursInput>): Promise<WeeklyHours> {
  const { organizationId } = caller;
  const before = await findAvailability(db, caller, id);
  const changes = changesTo(before, input);
  const after = { ...before, ...changes };
  for (const providerId of new Set([before.providerId, after.providerId])) await requireOwnTime(db, caller, providerId);
  await checkHours(db, caller, [after]);
  const changed = Object.keys(changes);
  if (changed.length === 0) return before;
  const hours = await db.availability.update({ where: { organizationId_id: { organizationId, id } }, data: changes });
  recordChange(caller, 'update', { name: 'availability.updated', id, changed });
  return hours;
}

/** @throws Failure not_found; forbidden for the hours of another provider */
export async function deleteAvailability(db: Db, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller;
  await requireOwnTime(db, caller, (await findAvailability(db, caller, id)).providerId);
  await db.availability.deleteMany({ where: { organizationId, id } });
  recordChange(caller, 'delete', { name: 'availability.deleted', id });
}

/**
 * Administrators set everybody's time, and providers their own.
 * @param providerId null for the whole practice, or an office
 * @throws Failure forbidden
 */
export async function requireOwnTime(db: Db, { organizationId, role, userId }: Caller, providerId: number | null): Promise<void> {
  if (role === null || role === 'admin') return;
  const own = userId === null || providerId === null ? 0 : await db.provider.count({ where: { organizationId, userId, id: providerId } });
  if (own === 0) throw forbidden('not_own_time', 'Only administrators can set the hours of others; providers set their own.');
}

async function checkHours(db: Db, caller: Caller, all: readonly HoursInput[]): Promise<void> {
  const wrong = new WrongFields();
  await checkPlaces(db, caller, all, wrong);
  const types = await db.appointmentType.findMany({
    where: { id: { in: all.flatMap(({ typeIds }) => typeIds) }, ...whereVisibleType(caller) },
    select: { id: true },
  });
  for (const { untilMinute, fromMinute, startsOn, endsOn, typeIds } of all) {
    if (untilMinute <= fromMinute) wrong.add(invalid('untilMinute', 'must be after from, and at most 24:00'));
    if (startsOn && endsOn && endsOn < startsOn) wrong.add(invalid('endsOn', 'must not be before starts_on'));
    for (const [index, typeId] of typeIds.entries())
      if (!types.some(({ id }) => id === typeId)) wrong.add(notFound('appointment type', `typeIds.${index}`));
  }
  wrong.throwIfAny();
}

/** Adds a provider and an office that are not there. */
export async function checkPlaces(
  db: Db,
  { organizationId }: Caller,
  places: readonly { providerId: number | null; officeId: number | null }[],
  wrong: WrongFields,
): Promise<void> {
  const providerIds = new Set(places.flatMap(({ providerId }) => providerId ?? []));
  const officeIds = new Set(places.flatMap(({ officeId }) => officeId ?? []));
  const [providers, offices] = await Promise.all([
    db.provider.count({ where: { organizationId, id: { in: [...providerIds] } } }),
    db.office.count({ where: { organizationId, id: { in: [...officeIds] } } }),
  ]);
  if (providers < providerIds.size) wrong.add(notFound('provider', 'providerId'));
  if (offices < officeIds.size) wrong.add(notFound('office', 'officeId'));
}

import type { Availability, Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { forbidden, invalid, notFound, WrongFields } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
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
export async function listAvailability(tx: Tx, { providerId, officeId }: HoursFilter, page: PageRequest): Promise<Page<WeeklyHours>> {
  const where = {
    ...tx.practice,
    ...(providerId === null ? {} : { providerId }),
    ...(officeId === null ? {} : { officeId }),
  };
  const orderBy = [
    { providerId: 'asc' },
    { weekday: 'asc' },
    { fromMinute: 'asc' },
    { id: 'asc' },
  ] satisfies Prisma.AvailabilityOrderByWithRelationInput[];
  const [items, total] = await Promise.all([
    tx.prisma.availability.findMany({ where, orderBy, ...window(page) }),
    tx.prisma.availability.count({ where }),
  ]);
  return { ...page, items, total };
}

/** @throws Failure not_found */
export async function findAvailability(tx: Tx, id: number): Promise<WeeklyHours> {
  const hours = await tx.prisma.availability.findUnique({ where: tx.key(id) });
  if (!hours) throw notFound('availability');
  return hours;
}

/** @throws Failure not_found for unknown references; invalid; forbidden for the hours of another provider */
export async function createAvailability(tx: Tx, input: HoursInput): Promise<WeeklyHours> {
  const [hours] = await createAvailabilities(tx, [input]);
  if (!hours) throw new Error('hours that were created were not returned');
  return hours;
}

/** Adds hours, all or none. @throws Failure as createAvailability */
export async function createAvailabilities(tx: Tx, inputs: readonly HoursInput[]): Promise<WeeklyHours[]> {
  if (inputs.length === 0) return [];
  for (const providerId of new Set(inputs.map((input) => input.providerId))) await requireOwnTime(tx, providerId);
  await checkHours(tx, inputs);
  const created = await tx.prisma.availability.createManyAndReturn({ data: inputs.map((input) => ({ ...input, ...tx.practice })) });
  for (const [index, { id }] of created.entries())
    recordChange(tx, 'create', { name: 'availability.created', id, changed: Object.keys(inputs[index] ?? {}) });
  return created;
}

/** Changes the fields that differ. Visits that are booked stay where they are. @throws Failure as createAvailability */
export async function changeAvailability(tx: Tx, id: number, input: Partial<HoursInput>): Promise<WeeklyHours> {
  const before = await findAvailability(tx, id);
  const changes = changesTo(before, input);
  const after = { ...before, ...changes };
  for (const providerId of new Set([before.providerId, after.providerId])) await requireOwnTime(tx, providerId);
  await checkHours(tx, [after]);
  const changed = Object.keys(changes);
  if (changed.length === 0) return before;
  const hours = await tx.prisma.availability.update({ where: tx.key(id), data: changes });
  recordChange(tx, 'update', { name: 'availability.updated', id, changed });
  return hours;
}

/** @throws Failure not_found; forbidden for the hours of another provider */
export async function deleteAvailability(tx: Tx, id: number): Promise<void> {
  await requireOwnTime(tx, (await findAvailability(tx, id)).providerId);
  await tx.prisma.availability.deleteMany({ where: { ...tx.practice, id } });
  recordChange(tx, 'delete', { name: 'availability.deleted', id });
}

/**
 * Administrators set everybody's time, and providers their own.
 * @param providerId null for the whole practice, or an office
 * @throws Failure forbidden
 */
export async function requireOwnTime(tx: Tx, providerId: number | null): Promise<void> {
  const { role, userId } = tx;
  if (role === null || role === 'admin') return;
  const own =
    userId === null || providerId === null ? 0 : await tx.prisma.provider.count({ where: { ...tx.practice, userId, id: providerId } });
  if (own === 0) throw forbidden('not_own_time', 'Only administrators can set the hours of others; providers set their own.');
}

async function checkHours(tx: Tx, all: readonly HoursInput[]): Promise<void> {
  const wrong = new WrongFields();
  await checkPlaces(tx, all, wrong);
  const types = await tx.prisma.appointmentType.findMany({
    where: { id: { in: all.flatMap(({ typeIds }) => typeIds) }, ...whereVisibleType(tx) },
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
  tx: Tx,
  places: readonly { providerId: number | null; officeId: number | null }[],
  wrong: WrongFields,
): Promise<void> {
  const providerIds = new Set(places.flatMap(({ providerId }) => providerId ?? []));
  const officeIds = new Set(places.flatMap(({ officeId }) => officeId ?? []));
  const [providers, offices] = await Promise.all([
    tx.prisma.provider.count({ where: { ...tx.practice, id: { in: [...providerIds] } } }),
    tx.prisma.office.count({ where: { ...tx.practice, id: { in: [...officeIds] } } }),
  ]);
  if (providers < providerIds.size) wrong.add(notFound('provider', 'providerId'));
  if (offices < officeIds.size) wrong.add(notFound('office', 'officeId'));
}

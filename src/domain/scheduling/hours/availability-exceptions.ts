import type { AvailabilityException } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { invalid, missing, notFound, WrongFields } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { checkPlaces, type HoursFilter, requireOwnTime } from './availability.ts';
import { countAppointmentsDuring, requireNoAppointmentsToCome } from './reassign.ts';

/**
 * A time that differs from the weekly hours, on the clocks of its office, or of each: leave of a provider, a closed office, a holiday of the
 * practice, or extra hours of a provider at an office.
 */
export type HoursChange = Omit<AvailabilityException, 'organizationId'>;
export type HoursChangeInput = Omit<HoursChange, 'id' | 'createdAt' | 'updatedAt'>;

/** By their begin. Those of a provider or an office, without those of all. */
export async function listAvailabilityExceptions(
  tx: Tx,
  { providerId, officeId }: HoursFilter,
  page: PageRequest,
): Promise<Page<HoursChange>> {
  const where = {
    ...tx.practice,
    ...(providerId === null ? {} : { providerId }),
    ...(officeId === null ? {} : { officeId }),
  };
  const [items, total] = await Promise.all([
    tx.prisma.availabilityException.findMany({ where, orderBy: [{ fromLocal: 'asc' }, { id: 'asc' }], ...window(page) }),
    tx.prisma.availabilityException.count({ where }),
  ]);
  return { ...page, items, total };
}

/** @throws Failure not_found */
export async function findAvailabilityException(tx: Tx, id: number): Promise<HoursChange> {
  const exception = await tx.prisma.availabilityException.findUnique({ where: tx.key(id) });
  if (!exception) throw notFound('availability exception');
  return exception;
}

/**
 * @param despiteVisits also where upcoming visits are in a time that is closed
 * @throws Failure not_found for unknown references; invalid; forbidden for what is not the caller's own time; conflict for upcoming visits in
 *   it, with their number
 */
export async function createAvailabilityException(tx: Tx, input: HoursChangeInput, despiteVisits = false): Promise<HoursChange> {
  await requireOwnTime(tx, input.providerId);
  await checkException(tx, input);
  if (!despiteVisits) await requireNoVisits(tx, input);
  const exception = await tx.prisma.availabilityException.create({ data: { ...input, ...tx.practice } });
  recordChange(tx, 'create', { name: 'availability_exception.created', id: exception.id, changed: Object.keys(input) });
  return exception;
}

/** Changes the fields that differ. @throws Failure as createAvailabilityException */
export async function changeAvailabilityException(
  tx: Tx,
  id: number,
  input: Partial<HoursChangeInput>,
  despiteVisits = false,
): Promise<HoursChange> {
  const before = await findAvailabilityException(tx, id);
  const changes = changesTo(before, input);
  const after = { ...before, ...changes };
  for (const providerId of new Set([before.providerId, after.providerId])) await requireOwnTime(tx, providerId);
  await checkException(tx, after);
  const changed = Object.keys(changes);
  if (changed.length === 0) return before;
  if (!despiteVisits && changed.some((field) => field !== 'reason')) await requireNoVisits(tx, after);
  const exception = await tx.prisma.availabilityException.update({ where: tx.key(id), data: changes });
  recordChange(tx, 'update', { name: 'availability_exception.updated', id, changed });
  return exception;
}

/** @throws Failure not_found; forbidden for what is not the caller's own time */
export async function deleteAvailabilityException(tx: Tx, id: number): Promise<void> {
  await requireOwnTime(tx, (await findAvailabilityException(tx, id)).providerId);
  await tx.prisma.availabilityException.deleteMany({ where: { ...tx.practice, id } });
  recordChange(tx, 'delete', { name: 'availability_exception.deleted', id });
}

async function requireNoVisits(tx: Tx, { available, fromLocal, untilLocal, ...whose }: HoursChangeInput): Promise<void> {
  if (!available) requireNoAppointmentsToCome(await countAppointmentsDuring(tx, whose, [fromLocal, untilLocal]));
}

async function checkException(tx: Tx, exception: HoursChangeInput): Promise<void> {
  const wrong = new WrongFields();
  await checkPlaces(tx, [exception], wrong);
  if (exception.untilLocal <= exception.fromLocal) wrong.add(invalid('untilLocal', 'must be after from'));
  // Further hours are somebody's, somewhere.
  if (exception.available && exception.providerId === null) wrong.add(missing('providerId'));
  if (exception.available && exception.officeId === null) wrong.add(missing('officeId'));
  wrong.throwIfAny();
}

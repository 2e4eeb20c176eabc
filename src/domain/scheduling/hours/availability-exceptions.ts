import type { Db } from '../../../database/database.ts';
import type { AvailabilityException } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { invalid, missing, notFound, WrongFields } from '../../errors.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { checkPlaces, type HoursFilter, requireOwnTime } from './availability.ts';
import { countVisitsDuring, requireNoVisitsToCome } from './reassign.ts';

/**
 * A time that differs from the weekly hours, on the clocks of its office, or of each: leave of a provider, a closed office, a holiday of the
 * practice, or extra hours of a provider at an office.
 */
export type HoursChange = Omit<AvailabilityException, 'organizationId'>;
export type HoursChangeInput = Omit<HoursChange, 'id' | 'createdAt' | 'updatedAt'>;

/** By their begin. Those of a provider or an office, without those of all. */
export async function listAvailabilityExceptions(
  db: Db,
  { organizationId }: Caller,
  { providerId, officeId }: HoursFilter,
  page: PageRequest,
): Promise<Page<HoursChange>> {
  const where = { organizationId, ...(providerId === null ? {} : { providerId }), ...(officeId === null ? {} : { officeId }) };
  const [items, total] = await Promise.all([
    db.availabilityException.findMany({ where, orderBy: [{ fromLocal: 'asc' }, { id: 'asc' }], ...window(page) }),
    db.availabilityException.count({ where }),
  ]);
  return { ...page, items, total };
}

/** @throws Failure not_found */
export async function findAvailabilityException(db: Db, { organizationId }: Caller, id: number): Promise<HoursChange> {
  const exception = await db.availabilityException.findUnique({ where: { organizationId_id: { organizationId, id } } });
  if (!exception) throw notFound('availability exception');
  return exception;
}

/**
 * @param despiteVisits also where upcoming visits are in a time that is closed
 * @throws Failure not_found for unknown references; invalid; forbidden for what is not the caller's own time; conflict for upcoming visits in
 *   it, with their number
 */
export async function createAvailabilityException(
  db: Db,
  caller: Caller,
  input: HoursChangeInput,
  despiteVisits = false,
): Promise<HoursChange> {
  const { organizationId } = caller;
  await requireOwnTime(db, caller, input.providerId);
  await checkException(db, caller, input);
  if (!despiteVisits) await requireNoVisits(db, caller, input);
  const exception = await db.availabilityException.create({ data: { ...input, organizationId } });
  recordChange(caller, 'create', { name: 'availability_exception.created', id: exception.id, changed: Object.keys(input) });
  return exception;
}

/** Changes the fields that differ. @throws Failure as createAvailabilityException */
export async function changeAvailabilityException(
  db: Db,
  caller: Caller,
  id: number,
  input: Partial<HoursChangeInput>,
  despiteVisits = false,
): Promise<HoursChange> {
  const { organizationId } = caller;
  const before = await findAvailabilityException(db, caller, id);
  const changes = changesTo(before, input);
  const after = { ...before, ...changes };
  for (const providerId of new Set([before.providerId, after.providerId])) await requireOwnTime(db, caller, providerId);
  await checkException(db, caller, after);
  const changed = Object.keys(changes);
  if (changed.length === 0) return before;
  if (!despiteVisits && changed.some((field) => field !== 'reason')) await requireNoVisits(db, caller, after);
  const exception = await db.availabilityException.update({ where: { organizationId_id: { organizationId, id } }, data: changes });
  recordChange(caller, 'update', { name: 'availability_exception.updated', id, changed });
  return exception;
}

/** @throws Failure not_found; forbidden for what is not the caller's own time */
export async function deleteAvailabilityException(db: Db, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller;
  await requireOwnTime(db, caller, (await findAvailabilityException(db, caller, id)).providerId);
  await db.availabilityException.deleteMany({ where: { organizationId, id } });
  recordChange(caller, 'delete', { name: 'availability_exception.deleted', id });
}

async function requireNoVisits(db: Db, caller: Caller, { available, fromLocal, untilLocal, ...whose }: HoursChangeInput): Promise<void> {
  if (!available) requireNoVisitsToCome(await countVisitsDuring(db, caller, whose, [fromLocal, untilLocal]));
}

async function checkException(db: Db, caller: Caller, exception: HoursChangeInput): Promise<void> {
  const wrong = new WrongFields();
  await checkPlaces(db, caller, [exception], wrong);
  if (exception.untilLocal <= exception.fromLocal) wrong.add(invalid('untilLocal', 'must be after from'));
  // Further hours are somebody's, somewhere.
  if (exception.available && exception.providerId === null) wrong.add(missing('providerId'));
  if (exception.available && exception.officeId === null) wrong.add(missing('officeId'));
  wrong.throwIfAny();
}

import type { Db } from '../../database/database.ts';
import type { Location, Prisma } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../caller.ts';
import { notFound } from '../errors.ts';
import { changesTo } from '../values/changed-fields.ts';
import { findOffice } from './offices.ts';

export type { Location };

export type LocationInput = Partial<Omit<Prisma.LocationUncheckedCreateInput, 'organizationId' | 'id'>> & { name: string };

/** The locations of the caller's practice, by id. */
export function listLocations(db: Db, { organizationId }: CallerIdentity): Promise<Location[]> {
  return db.location.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
}

/** Adds a location inside or beside an office. @throws Failure not_found for an unknown office */
export async function createLocation(db: Db, caller: Caller, input: LocationInput): Promise<Location> {
  const { organizationId } = caller;
  if (typeof input.officeId === 'number') await findOffice(db, caller, input.officeId);
  const location = await db.location.create({ data: { ...input, organizationId } });
  recordChange(caller, 'administer', { name: 'location.created', id: location.id });
  return location;
}

/** Changes the given fields that differ. @throws Failure not_found for an unknown location or office */
export async function changeLocation(db: Db, caller: Caller, id: number, input: Partial<LocationInput>): Promise<void> {
  const { organizationId } = caller;
  const where = { organizationId_id: { organizationId, id } };
  const before = await db.location.findUnique({ where });
  if (!before) throw notFound('location');
  if (typeof input.officeId === 'number') await findOffice(db, caller, input.officeId);
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return;
  await db.location.update({ where, data: changes, select: { id: true } });
  recordChange(caller, 'administer', { name: 'location.updated', id, changed });
}

/** Removes a location to which nothing refers. */
export async function removeLocation(db: Db, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller;
  await db.location.delete({ where: { organizationId_id: { organizationId, id } }, select: { id: true } });
  recordChange(caller, 'administer', { name: 'location.removed', id });
}

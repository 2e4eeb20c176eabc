import type { Location, Prisma } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import { notFound } from '../errors.ts';
import type { PracticeTx, Tx } from '../tx.ts';
import { changesTo } from '../values/changed-fields.ts';
import { findOffice } from './offices.ts';

export type { Location };

export type LocationInput = Partial<Omit<Prisma.LocationUncheckedCreateInput, 'organizationId' | 'id'>> & { name: string };

/** The locations of the caller's practice, by id. */
export function listLocations(tx: PracticeTx): Promise<Location[]> {
  return tx.prisma.location.findMany({ where: tx.practice, orderBy: { id: 'asc' } });
}

/** Adds a location inside or beside an office. @throws Failure not_found for an unknown office */
export async function createLocation(tx: Tx, input: LocationInput): Promise<Location> {
  if (typeof input.officeId === 'number') await findOffice(tx, input.officeId);
  const location = await tx.prisma.location.create({ data: { ...input, ...tx.practice } });
  recordChange(tx, 'administer', { name: 'location.created', id: location.id });
  return location;
}

/** Changes the given fields that differ. @throws Failure not_found for an unknown location or office */
export async function changeLocation(tx: Tx, id: number, input: Partial<LocationInput>): Promise<void> {
  const where = tx.key(id);
  const before = await tx.prisma.location.findUnique({ where });
  if (!before) throw notFound('location');
  if (typeof input.officeId === 'number') await findOffice(tx, input.officeId);
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return;
  await tx.prisma.location.update({ where, data: changes, select: { id: true } });
  recordChange(tx, 'administer', { name: 'location.updated', id, changed });
}

/** Removes a location to which nothing refers. */
export async function removeLocation(tx: Tx, id: number): Promise<void> {
  await tx.prisma.location.delete({ where: tx.key(id), select: { id: true } });
  recordChange(tx, 'administer', { name: 'location.removed', id });
}

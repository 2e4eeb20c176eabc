import type { Db } from '../../database/database.ts';
import type { Location, Prisma } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../caller.ts';
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

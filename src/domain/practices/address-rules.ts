import type { Db } from '../../database/database.ts';
import type { CallerIdentity } from '../caller.ts';
import { ADDRESS_FAULTS } from '../code-sets/address-faults.ts';

/** A state or zip of a practice, or of one of its places or employers, that could not be stored today. */
export interface AddressFault {
  kind: 'organization' | 'office' | 'location' | 'employer';
  id: number;
  /** The domain's name. */
  field: string;
  /** A description of what is wrong, without the value. */
  rule: string;
  value: string;
}

const ADDRESS = { id: true, state: true, zip: true } as const;

/** Finds the states and zips of the caller's practice, its offices, locations and employers that break a rule, ordered by kind and id. */
export async function findAddressFaults(db: Db, { organizationId }: CallerIdentity): Promise<AddressFault[]> {
  const named = { OR: [{ state: { not: null } }, { zip: { not: null } }] };
  const query = { where: { organizationId, ...named }, select: ADDRESS, orderBy: { id: 'asc' } } as const;
  const places = [
    ['organization', await db.organization.findMany({ where: { id: organizationId, ...named }, select: ADDRESS })],
    ['office', await db.office.findMany(query)],
    ['location', await db.location.findMany(query)],
    ['employer', await db.employer.findMany(query)],
  ] as const;
  return places.flatMap(([kind, rows]) => rows.flatMap((row) => faultsOf(kind, row)));
}

function faultsOf(
  kind: AddressFault['kind'],
  { id, ...address }: { id: number; state: string | null; zip: string | null },
): AddressFault[] {
  return (['state', 'zip'] as const).flatMap((field) => {
    const value = address[field];
    const rule = value === null ? null : ADDRESS_FAULTS[field](value);
    return value === null || rule === null ? [] : [{ kind, id, field, rule, value }];
  });
}

import type { Db } from '../../../database/database.ts';
import { type Caller, maySeeRestricted } from '../../caller.ts';

/**
 * The numbers that belong to a restricted or blocked patient, and to no listed one: what comes from them, or goes to them, is that
 * patient's. Empty for callers who may see restricted charts.
 */
export async function listRestrictedNumbers(db: Db, caller: Caller): Promise<string[]> {
  if (maySeeRestricted(caller)) return [];
  const { organizationId } = caller;
  const rows = await db.$queryRaw<{ number: string }[]>`
    SELECT DISTINCT n.number
      FROM patient r CROSS JOIN LATERAL (VALUES (r.mobile_phone), (r.home_phone)) AS n (number)
     WHERE r.organization_id = ${organizationId} AND r.restricted AND r.status <> 'deleted' AND n.number IS NOT NULL
       AND NOT EXISTS (
         SELECT FROM patient p WHERE p.organization_id = ${organizationId} AND (p.mobile_phone = n.number OR p.home_phone = n.number)
            AND NOT p.restricted AND p.status <> 'deleted')`;
  return rows.map(({ number }) => number);
}

/** Those of the numbers that listRestrictedNumbers finds. */
export async function findRestrictedNumbers(db: Db, caller: Caller, numbers: readonly string[]): Promise<ReadonlySet<string>> {
  if (numbers.length === 0) return new Set();
  const restricted = new Set(await listRestrictedNumbers(db, caller));
  return new Set(numbers.filter((number) => restricted.has(number)));
}

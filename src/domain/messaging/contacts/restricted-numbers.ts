import type { Db } from '../../../database/database.ts';
import { type Caller, listOpenedCharts, maySeeRestricted } from '../../caller.ts';

/**
 * The numbers and mail addresses of restricted and blocked patients, also where a listed patient has the number too: what came from them before anybody
 * had the number may be theirs. Whoever has called or written since is stored with the call or text. Without those of charts that
 * the caller has opened; empty for callers who may see restricted charts.
 */
export async function listRestrictedNumbers(db: Db, caller: Caller): Promise<string[]> {
  if (maySeeRestricted(caller)) return [];
  const { organizationId } = caller;
  const rows = await db.$queryRaw<{ number: string }[]>`
    SELECT DISTINCT n.number
      FROM patient r CROSS JOIN LATERAL (VALUES (r.mobile_phone), (r.home_phone), (r.email)) AS n (number)
     WHERE r.organization_id = ${organizationId} AND r.restricted AND r.id <> ALL (${listOpenedCharts(caller)}::int[]) AND n.number IS NOT NULL`;
  return rows.map(({ number }) => number);
}

/** Those of the numbers that listRestrictedNumbers finds. */
export async function findRestrictedNumbers(db: Db, caller: Caller, numbers: readonly string[]): Promise<ReadonlySet<string>> {
  if (numbers.length === 0) return new Set();
  const restricted = new Set(await listRestrictedNumbers(db, caller));
  return new Set(numbers.filter((number) => restricted.has(number)));
}

/** Where a message went, and whether its words are for the guardian of its patient. */
interface Addressed {
  to: string;
  toGuardian: boolean | undefined;
}

/** The addresses of messages; null for a guardian's whose chart the caller may not see. */
export async function findShownAddresses(db: Db, caller: Caller, messages: readonly Addressed[]): Promise<(string | null)[]> {
  const guardians = messages.flatMap(({ to, toGuardian }) => (toGuardian ? [to] : []));
  const hidden = await findRestrictedNumbers(db, caller, guardians);
  return messages.map(({ to, toGuardian }) => (toGuardian && hidden.has(to) ? null : to));
}

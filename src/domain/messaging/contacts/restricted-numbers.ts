import { listOpenedCharts, maySeeRestricted } from '../../caller.ts';
import type { Tx } from '../../tx.ts';

/**
 * The numbers and mail addresses of restricted and blocked patients, also where a listed patient has the number too: what came from them before anybody
 * had the number may be theirs. Whoever has called or written since is stored with the call or text. Without those of charts that
 * the caller has opened; empty for callers who may see restricted charts.
 */
export async function listRestrictedNumbers(tx: Tx): Promise<string[]> {
  if (maySeeRestricted(tx)) return [];
  const rows = await tx.prisma.$queryRaw<{ number: string }[]>`
    SELECT DISTINCT n.number
      FROM patient r CROSS JOIN LATERAL (VALUES (r.mobile_phone), (r.home_phone), (r.email)) AS n (number)
     WHERE r.organization_id = ${tx.organizationId} AND r.restricted AND r.id <> ALL (${listOpenedCharts(tx)}::int[]) AND n.number IS NOT NULL`;
  return rows.map(({ number }) => number);
}

/** Those of the numbers that listRestrictedNumbers finds. */
export async function findRestrictedNumbers(tx: Tx, numbers: readonly string[]): Promise<ReadonlySet<string>> {
  if (numbers.length === 0) return new Set();
  const restricted = new Set(await listRestrictedNumbers(tx));
  return new Set(numbers.filter((number) => restricted.has(number)));
}

/** Where a message went, and whether its words are for the guardian of its patient. */
interface Addressed {
  to: string;
  toGuardian: boolean | undefined;
}

/** The addresses of messages; null for a guardian's whose chart the caller may not see. */
export async function findShownAddresses(tx: Tx, messages: readonly Addressed[]): Promise<(string | null)[]> {
  const guardians = messages.flatMap(({ to, toGuardian }) => (toGuardian ? [to] : []));
  const hidden = await findRestrictedNumbers(tx, guardians);
  return messages.map(({ to, toGuardian }) => (toGuardian && hidden.has(to) ? null : to));
}

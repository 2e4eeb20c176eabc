import type { Keyring } from '../../../database/encryption/keyring.ts';
import { type Prepared, statement } from '../../../database/statements/statement.ts';
import { EVENTS_BETWEEN, type KeptHead, readHead, reasonOf } from '../chain/chain-heads.ts';

/** Looked up for each event: a join might read all of the audit. Values: organization, the transaction after which to begin. */
export const EVENT_WITHOUT_ENTRY = statement<{ id: string; name: string }>(
  'audit_event_without_entry',
  `SELECT e.id::text, e.name FROM event e
    WHERE e.organization_id = $1::int AND e.transaction_id > $2::bigint
      AND (SELECT a.id FROM audit_entry a WHERE a.organization_id = $1::int AND a.transaction_id = e.transaction_id LIMIT 1) IS NULL
    ORDER BY e.transaction_id, e.id LIMIT 1`,
);

/** The head of a chain, or why it cannot be used. */
export async function headOrFlaw(prepared: Prepared, keyring: Keyring, organizationId: number) {
  try {
    return { head: await readHead(prepared, keyring, organizationId), flaw: null };
  } catch (error) {
    return { head: null, flaw: reasonOf(error) };
  }
}

/**
 * The head counts the events up to it, without those that were deleted by age; every later one has an entry of its transaction. Where
 * the count differs, a deletion may have come between: a later head is looked at then.
 */
export async function flawOfEvents(
  prepared: Prepared,
  keyring: Keyring,
  organizationId: number,
  head: KeptHead | null,
): Promise<string | null> {
  const last = String(head?.transactionId ?? 0n);
  const [counted] = await prepared.rows(EVENTS_BETWEEN, [organizationId, '0', last]);
  const events = BigInt(counted?.events ?? 0);
  if (head && events !== head.events) {
    const { head: later, flaw } = await headOrFlaw(prepared, keyring, organizationId);
    if (flaw !== null) return flaw;
    if (later && later.events !== head.events) return flawOfEvents(prepared, keyring, organizationId, later);
    return `${head.events} events belong to the sealed entries, and there are ${events}`;
  }
  const [orphan] = await prepared.rows(EVENT_WITHOUT_ENTRY, [organizationId, last]);
  return orphan ? `event ${orphan.id} (${orphan.name}) has no audit entry: entries that were not sealed yet are missing` : null;
}

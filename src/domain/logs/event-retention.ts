import type { Pool } from 'pg';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { type OfPractices, rowsOfPracticesWithLogs } from '../../database/logs/log-order.ts';
import { allPracticesComment } from '../../database/statements/all-practices.ts';
import { type Prepared, statement } from '../../database/statements/statement.ts';
import { keepHead, readHead } from '../audit/chain/chain-heads.ts';

/** Events per statement, so that none takes long. */
const BATCH = 5_000;

/**
 * The database's function, since the server's role may not delete events otherwise. Values: organization, the last transaction that is
 * sealed, the instant before which events are old, the most to delete.
 */
const DELETE_OLDEST = statement<{ deleted: string }>(
  'events_delete_oldest',
  'SELECT delete_oldest_events($1::int, $2::bigint, $3::timestamptz, $4::int)::text AS deleted',
);

/** Practices that have events older than they keep them, and until when. One index lookup each. */
export const practicesWithOldEvents = (pool: Pool): Promise<{ organizationId: number; before: Date }[]> =>
  rowsOfPracticesWithLogs(pool, oldIn);

const oldIn: OfPractices = (practices) => `
    SELECT o.id AS "organizationId", now() - make_interval(days => coalesce(p.event_days, 90)) AS before
      FROM ${practices} o
      LEFT JOIN security_policy p ON p.organization_id = o.id
     CROSS JOIN LATERAL (
       SELECT occurred_at FROM event e WHERE organization_id = o.id ORDER BY transaction_id, id LIMIT 1
     ) oldest
     WHERE oldest.occurred_at < now() - make_interval(days => coalesce(p.event_days, 90)) ${allPracticesComment('the job looks for what is old')}`;

/**
 * Deletes a batch of a practice's events from before an instant. The head of the audit chain counts the events up to it: those that
 * are deleted are taken from its count, so that verify knows of any other that is missing. Only sealed ones are deleted. The caller
 * holds the lock of the chain.
 * @returns whether there may be more
 * @throws AuditChainError where the head does not hold
 */
export async function deleteOldEvents(prepared: Prepared, keyring: Keyring, organizationId: number, before: Date): Promise<boolean> {
  const head = await readHead(prepared, keyring, organizationId);
  if (!head) return false;
  const [row] = await prepared.rows(DELETE_OLDEST, [organizationId, String(head.transactionId), before, BATCH]);
  const deleted = BigInt(row?.deleted ?? 0);
  if (deleted > 0n) await keepHead(prepared, keyring, { ...head, events: head.events - deleted }, { isFirst: false });
  return deleted === BigInt(BATCH);
}

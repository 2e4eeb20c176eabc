import type { Pool } from 'pg';
import { isDatabaseUnreachable } from '../../database/errors.ts';
import { timed } from '../../database/statement-times.ts';
import { type AuditRow, auditDetail } from '../audit/journal-entries.ts';
import { createBatcher } from './batcher.ts';

/** A parameter for each column; lists of ids as texts, since those of several rows are not of one length. */
const INSERT = {
  name: 'audit_entry_insert',
  text: `INSERT INTO audit_entry (transaction_id, organization_id, actor, action, resource, resource_ids, patient_ids, operation,
                request_id, address, detail)
         SELECT (SELECT log_transaction()), organization_id, actor, action, resource, resource_ids::bigint[], patient_ids::int[], operation,
                request_id, address, ${auditDetail('a')}
           FROM unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
                $10::text[], $11::boolean[])
             AS a (organization_id, actor, action, resource, resource_ids, patient_ids, operation, request_id, address, detail, despite)`,
};

const idsOf = (ids: number[] | null) => ids && `{${ids.join(',')}}`;

const columnsOf = (rows: AuditRow[]) => [
  rows.map((row) => row.organization_id),
  rows.map((row) => row.actor),
  rows.map((row) => row.action),
  rows.map((row) => row.resource),
  rows.map((row) => idsOf(row.resource_ids)),
  rows.map((row) => idsOf(row.patient_ids)),
  rows.map((row) => row.operation),
  rows.map((row) => row.request_id),
  rows.map((row) => row.address),
  rows.map((row) => row.detail),
  rows.map((row) => row.despite),
];

/** The largest number of requests that share one insert. */
const MAX_BATCH = 200;

/**
 * Writes the audit rows of reads. A request waits until its rows are stored, and shares the insert with others: an insert costs
 * twenty times what one of its rows does, so concurrent inserts would only make the batches small. Where the rows of one request
 * cannot be stored, those of the others in its batch are stored without them.
 */
export function createAuditWriter(pool: Pool): (rows: AuditRow[]) => Promise<void> {
  const insert = async (batch: AuditRow[][]): Promise<void> => {
    await timed(INSERT, () => pool.query({ ...INSERT, values: columnsOf(batch.flat()) }));
  };
  return createBatcher(MAX_BATCH, async (batch) => {
    try {
      await insert(batch);
      return batch.map(() => undefined);
    } catch (error) {
      if (batch.length === 1 || isDatabaseUnreachable(error)) throw error;
    }
    const each: Promise<void>[] = [];
    for (const one of batch) {
      const stored = insert([one]);
      each.push(stored);
      await stored.catch(() => {});
    }
    return each;
  });
}

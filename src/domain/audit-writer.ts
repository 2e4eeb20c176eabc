import type { Pool } from 'pg';
import { isDatabaseUnreachable } from './database-errors.ts';
import type { AuditRow } from './recording.ts';

/** A parameter for each column; lists of ids as texts, since those of several rows are not of one length. */
const INSERT = {
  name: 'audit_entry_insert',
  text: `INSERT INTO audit_entry (transaction_id, organization_id, actor, action, resource, resource_ids, patient_ids, operation,
                request_id, address, detail)
         SELECT (SELECT log_transaction()), organization_id, actor, action, resource, resource_ids::int[], patient_ids::int[], operation,
                request_id, address, detail
           FROM unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
                $10::text[]) AS a (organization_id, actor, action, resource, resource_ids, patient_ids, operation, request_id, address, detail)`,
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
];

/** How many waiting requests share one insert. */
const LARGEST_BATCH = 200;

interface Waiting {
  rows: AuditRow[];
  done: () => void;
  failed: (error: unknown) => void;
}

/**
 * Audit rows of reads. A request waits until its rows are on disk; requests that arrive while an insert is under way
 * share the next one, so that a busy server pays one flush for many of them and an idle one waits for none. An insert
 * costs twenty times what one of its rows does: two at once would only make the batches small. When rows of one cannot be
 * stored, the others of its insert are stored without it.
 */
export function createAuditWriter(pool: Pool): (rows: AuditRow[]) => Promise<void> {
  const waiting: Waiting[] = [];
  let writing = false;

  const insert = (batch: Waiting[]) => pool.query({ ...INSERT, values: columnsOf(batch.flatMap(({ rows }) => rows)) });

  async function store(batch: Waiting[]): Promise<void> {
    try {
      await insert(batch);
      for (const { done } of batch) done();
    } catch (error) {
      if (batch.length === 1 || isDatabaseUnreachable(error)) for (const { failed } of batch) failed(error);
      else for (const one of batch) await store([one]);
    }
  }

  async function drain(): Promise<void> {
    if (writing) return;
    writing = true;
    while (waiting.length > 0) await store(waiting.splice(0, LARGEST_BATCH));
    writing = false;
  }

  return (rows) =>
    new Promise((done, failed) => {
      waiting.push({ rows, done, failed });
      // Not before all are heard that wait to be: rows that come in one turn of the loop share an insert.
      if (waiting.length === 1) setImmediate(() => void drain());
    });
}

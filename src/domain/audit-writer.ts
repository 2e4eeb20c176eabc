import type { Pool } from 'pg';
import { isDatabaseUnreachable } from './database-errors.ts';
import type { AuditRow } from './recording.ts';

const INSERT = {
  name: 'audit_entry_insert',
  text: `INSERT INTO audit_entry (organization_id, actor, action, resource, resource_ids, operation, request_id, address, detail)
         SELECT a.organization_id, a.actor, a.action, a.resource, a.resource_ids, a.operation, a.request_id, a.address, a.detail
           FROM jsonb_to_recordset($1::jsonb) AS a (organization_id int, actor text, action text, resource text,
                resource_ids int[], operation text, request_id text, address text, detail text)`,
};

/** How many waiting requests share one insert. */
const LARGEST_BATCH = 200;
/**
 * How many inserts may be under way. While one waits for the disk the next is already made; PostgreSQL flushes both at
 * once. A third gains nothing more, and each holds a connection of the pool.
 */
const INSERTS_AT_ONCE = 2;

interface Waiting {
  rows: AuditRow[];
  done: () => void;
  failed: (error: unknown) => void;
}

/**
 * Audit rows of reads. A request waits until its rows are on disk; requests that arrive while inserts are under way
 * share the next one, so that a busy server pays one flush for many of them and an idle one waits for none. When rows of
 * one cannot be stored, the others of its insert are stored without it.
 */
export function createAuditWriter(pool: Pool): (rows: AuditRow[]) => Promise<void> {
  const waiting: Waiting[] = [];
  let writing = 0;

  const insert = (batch: Waiting[]) => pool.query({ ...INSERT, values: [JSON.stringify(batch.flatMap(({ rows }) => rows))] });

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
    writing += 1;
    while (waiting.length > 0) await store(waiting.splice(0, LARGEST_BATCH));
    writing -= 1;
  }

  return (rows) =>
    new Promise((done, failed) => {
      waiting.push({ rows, done, failed });
      if (writing < INSERTS_AT_ONCE) void drain();
    });
}

import type { Pool, PoolClient } from 'pg';
import { isDatabaseUnreachable } from '../../database/errors.ts';
import { createPrepared, statement } from '../../database/statements/statement.ts';
import { onConnection, transactionOn } from '../../database/transaction.ts';
import type { AuditRow } from '../audit/journal-entries.ts';
import { auditDetail, RESTRICTED_CHARTS } from '../audit/journal-entries.ts';
import { createBatcher } from './batcher.ts';

/** A parameter for each column; lists of ids as texts, since those of several rows are not of one length. */
const createInsert = (name: string, numbered: boolean) =>
  statement<never>(
    name,
    `WITH ${RESTRICTED_CHARTS}
     INSERT INTO audit_entry (organization_id, actor, action, resource, resource_ids, patient_ids, operation, request_id, address, detail${numbered ? ', transaction_id' : ''})
         SELECT $1::int, actor, action, resource, resource_ids::bigint[], patient_ids::int[], operation, request_id, address, ${auditDetail('a')}${numbered ? ', $12::bigint' : ''}
           FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
                $10::text[], $11::boolean[])
             AS a (actor, action, resource, resource_ids, patient_ids, operation, request_id, address, detail, despite)`,
  );

/** The database draws the number of the transaction for each row. */
const INSERT = createInsert('audit_entry_insert', false);
/** The number is the last value. */
const INSERT_NUMBERED = createInsert('audit_entry_insert_numbered', true);
const NUMBER = statement<{ number: number }>('log_transaction', 'SELECT log_transaction() AS number');
/** From so many rows on the number is drawn once, before them: that costs as much as to draw it for so many. */
const NUMBERED_FROM = 32;

const writeIds = (ids: number[] | null) => ids && `{${ids.join(',')}}`;

const toColumns = (rows: AuditRow[]) => [
  rows[0]?.organization_id,
  rows.map((row) => row.actor),
  rows.map((row) => row.action),
  rows.map((row) => row.resource),
  rows.map((row) => writeIds(row.resource_ids)),
  rows.map((row) => writeIds(row.patient_ids)),
  rows.map((row) => row.operation),
  rows.map((row) => row.request_id),
  rows.map((row) => row.address),
  rows.map((row) => row.detail),
  rows.map((row) => row.despite),
];

/** The largest number of requests that share one insert. */
const MAX_BATCH = 200;

/**
 * Writes the audit rows of reads. A request waits until its rows are stored, and shares the insert with others of its practice: an insert
 * costs twenty times what one of its rows does, so concurrent inserts would only make the batches small. The inserts of several practices
 * are sent together on one connection, each a transaction of its own: none writes logs of two practices. Where the rows of one request
 * cannot be stored, those of the others in its batch are stored without them.
 */
export function createAuditWriter(pool: Pool): (rows: AuditRow[]) => Promise<void> {
  return createBatcher(MAX_BATCH, (batch) =>
    onConnection(pool, async (client) => {
      const ofPractices = [...Map.groupBy(batch, ([row]) => row?.organization_id).values()];
      const few = ofPractices.filter((requests) => !isNumbered(requests.flat()));
      const outcomes = new Map((await Promise.all(few.map((requests) => storeTogether(client, requests)))).flat());
      // A transaction of several statements has the connection for itself.
      for (const requests of ofPractices.filter((each) => isNumbered(each.flat())))
        for (const [rows, stored] of await storeTogether(client, requests)) outcomes.set(rows, stored);
      return batch.map((rows) => outcomes.get(rows));
    }),
  );
}

const isNumbered = (rows: AuditRow[]): boolean => rows.length >= NUMBERED_FROM;

/** The rows of a request, and what became of them. */
type Outcome = [rows: AuditRow[], stored: Promise<void>];

/** Stores the rows of requests of one practice. */
async function storeTogether(client: PoolClient, requests: AuditRow[][]): Promise<Outcome[]> {
  const together = insert(client, requests.flat());
  const error = await together.then(
    () => null,
    (reason: unknown) => ({ reason }),
  );
  if (error === null || requests.length === 1 || isDatabaseUnreachable(error.reason)) return requests.map((rows) => [rows, together]);
  const outcomes: Outcome[] = [];
  for (const rows of requests) {
    const stored = insert(client, rows);
    outcomes.push([rows, stored]);
    await stored.catch(() => {});
  }
  return outcomes;
}

async function insert(client: PoolClient, rows: AuditRow[]): Promise<void> {
  if (!isNumbered(rows)) return void (await createPrepared(client).rows(INSERT, toColumns(rows)));
  await transactionOn(client, async (prepared) => {
    const [drawn] = await prepared.rows(NUMBER, []);
    await prepared.rows(INSERT_NUMBERED, [...toColumns(rows), drawn?.number]);
  });
}

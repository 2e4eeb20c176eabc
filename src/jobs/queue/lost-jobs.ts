import type { Database, Db } from '../../database/database.ts';
import { overAllPractices } from '../../database/statements/all-practices.ts';
import { inDbTransaction } from '../../database/transaction.ts';
import type { NewJob } from '../../domain/journal.ts';
import { inPractice } from '../../domain/tx.ts';
import type { Outbox } from './queue.ts';

/** Key of the advisory lock with which only one process at a time looks for lost jobs. */
const LOCK = 7_410_257;
/** Jobs per run; the next run finds the others. */
const MOST = 200;

interface Waiting {
  queue: NewJob['queue'];
  organizationId: number;
  id: number;
}

/**
 * Queues a job for texts, mails and notifications that should have been sent minutes ago and have none: those of demo data and
 * imports, and those whose job was deleted from the queue. Records with a job, also one that waits for a retry, are skipped.
 */
export async function requeueLost(database: Database, outbox: Outbox): Promise<void> {
  // Opened before the transaction, so that the transaction does not wait for its connection.
  await outbox.open();
  await inDbTransaction(database, async ({ db, commit }) => {
    await requeueLostIn(db, outbox);
    await commit();
  });
}

async function requeueLostIn(tx: Db, outbox: Outbox): Promise<void> {
  const [lock] = await tx.$queryRaw<{ locked: boolean }[]>`SELECT pg_try_advisory_xact_lock(${LOCK}::bigint) AS locked`;
  if (!lock?.locked) return;
  const lost = await tx.$queryRaw<Waiting[]>`
      WITH at_work AS MATERIALIZED (
        SELECT name, (data->>'organizationId')::int AS organization_id, (data->>'id')::bigint AS id
          FROM queue.job WHERE name IN ('send-text', 'send-mail', 'send-push', 'unsent') AND state < 'completed'
      ), waiting AS (
        SELECT 'send-text' AS queue, organization_id, id FROM sms_message s
         WHERE state = 'queued' AND queued_at < now() - interval '5 minutes'
           AND (not_before IS NULL OR not_before < now() - interval '5 minutes')
        UNION ALL
        SELECT 'send-mail', organization_id, id FROM mail_message m
         WHERE state = 'queued' AND coalesce(not_before, queued_at) < now() - interval '5 minutes'
        UNION ALL
        SELECT 'send-push', organization_id, id FROM notification n
         WHERE settled_at IS NULL AND created_at < now() - interval '5 minutes'
      )
      SELECT queue, organization_id AS "organizationId", id FROM waiting w
       WHERE NOT EXISTS (SELECT FROM at_work a WHERE a.name IN (w.queue, 'unsent') AND a.organization_id = w.organization_id AND a.id = w.id)
       ORDER BY organization_id, id LIMIT ${MOST} ${overAllPractices('the job looks for what has none in the queue')}`;
  for (const { organizationId, queue, id } of lost) await outbox.enqueue(inPractice(tx, organizationId), [{ queue, id }]);
}

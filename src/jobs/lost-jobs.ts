import type { Database } from '../database/database.ts';
import type { NewJob } from '../domain/journal.ts';
import type { Outbox } from './queue.ts';

/** Any number: of several processes one looks at a time. */
const LOCK = 7_410_257;
/** At a time; the next look finds the next ones. */
const MOST = 200;

interface Waiting {
  queue: NewJob['queue'];
  organizationId: number;
  id: number;
}

/**
 * Gives a job to texts, mails and notifications that should have gone out minutes ago and have none: of demo data and imports, and where
 * somebody emptied the queue. What a job is at work on, or waits to be tried again, is left alone.
 */
export async function requeueLost({ prisma }: Database, outbox: Outbox): Promise<void> {
  // Its own connection first, so that none is waited for inside the transaction.
  await outbox.open();
  await prisma.$transaction(async (tx) => {
    const [lock] = await tx.$queryRaw<{ taken: boolean }[]>`SELECT pg_try_advisory_xact_lock(${LOCK}::bigint) AS taken`;
    if (!lock?.taken) return;
    const lost = await tx.$queryRaw<Waiting[]>`
      WITH at_work AS MATERIALIZED (
        SELECT name, (data->>'organizationId')::int AS organization_id, (data->>'id')::bigint AS id
          FROM queue.job WHERE name IN ('send-text', 'send-mail', 'send-push', 'unsent') AND state < 'completed'
      ), waiting AS (
        SELECT 'send-text' AS queue, organization_id, id FROM sms_message
         WHERE state = 'queued' AND queued_at < now() - interval '5 minutes'
           AND (not_before IS NULL OR not_before < now() - interval '5 minutes')
        UNION ALL
        SELECT 'send-mail', organization_id, id FROM mail_message WHERE state = 'queued' AND queued_at < now() - interval '5 minutes'
        UNION ALL
        SELECT 'send-push', organization_id, id FROM notification WHERE settled_at IS NULL AND created_at < now() - interval '5 minutes'
      )
      SELECT queue, organization_id AS "organizationId", id FROM waiting w
       WHERE NOT EXISTS (SELECT FROM at_work a WHERE a.name IN (w.queue, 'unsent') AND a.organization_id = w.organization_id AND a.id = w.id)
       ORDER BY organization_id, id LIMIT ${MOST}`;
    for (const { organizationId, queue, id } of lost) await outbox.enqueue(tx, organizationId, [{ queue, id }]);
  });
}

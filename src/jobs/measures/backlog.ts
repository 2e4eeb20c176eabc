import type { Pool } from 'pg';
import { type OfPractices, readHorizon, rowsOfPracticesWithLogs } from '../../database/logs/log-order.ts';
import { createPrepared } from '../../database/statements/statement.ts';

/** Jobs of one queue: those that are due, those that are not yet, and those that a process has taken. */
export interface QueueBacklog {
  queue: string;
  due: number;
  later: number;
  active: number;
  /** Seconds for which the oldest that is due waits; 0 where none is. */
  oldestSeconds: number;
}

/** @returns the queues that have jobs */
export async function queueBacklog(pool: Pool): Promise<QueueBacklog[]> {
  const { rows } = await pool.query<Record<keyof QueueBacklog, string>>(QUEUES);
  return rows.map(({ queue, due, later, active, oldestSeconds }) => ({
    queue,
    due: Number(due),
    later: Number(later),
    active: Number(active),
    oldestSeconds: Number(oldestSeconds),
  }));
}

const QUEUES = `
  SELECT name AS queue,
         count(*) FILTER (WHERE state < 'active' AND start_after <= now()) AS due,
         count(*) FILTER (WHERE state < 'active' AND start_after > now()) AS later,
         count(*) FILTER (WHERE state = 'active') AS active,
         coalesce(greatest(0, extract(epoch FROM now() - min(start_after) FILTER (WHERE state < 'active'))), 0) AS "oldestSeconds"
    FROM queue.job WHERE state < 'completed' GROUP BY name ORDER BY name`;

/** Seconds since the oldest audit entry that has no seal: the first entry after the newest link of each practice. 0 where all have. */
export const unsealedSeconds = (pool: Pool): Promise<number> => seconds(pool, selectUnsealed);

const selectUnsealed: OfPractices = (practices) => `
  SELECT extract(epoch FROM now() - min(unsealed.at)) AS seconds
    FROM ${practices} o
    LEFT JOIN LATERAL (
      SELECT transaction_id, audit_entry_id FROM audit_link l WHERE organization_id = o.id ORDER BY position DESC LIMIT 1) AS head ON true
   CROSS JOIN LATERAL (
      SELECT at FROM audit_entry e
       WHERE organization_id = o.id AND (transaction_id, id) > (coalesce(head.transaction_id, 0), coalesce(head.audit_entry_id, 0))
       ORDER BY transaction_id, id LIMIT 1) AS unsealed`;

/**
 * Seconds since the oldest event that is committed, and hidden from readers of the log by an open transaction; one step down an index for
 * each practice. 0 where none is.
 */
export const readHiddenSeconds = async (pool: Pool): Promise<number> =>
  seconds(pool, selectHidden, [await readHorizon(createPrepared(pool))]);

const selectHidden: OfPractices = (practices) => `
  SELECT extract(epoch FROM now() - min(hidden.occurred_at)) AS seconds
    FROM ${practices} o CROSS JOIN LATERAL (
      SELECT occurred_at FROM event v
       WHERE organization_id = o.id AND transaction_id >= $1::bigint ORDER BY transaction_id LIMIT 1) AS hidden`;

async function seconds(pool: Pool, text: OfPractices, values: number[] = []): Promise<number> {
  const [row] = await rowsOfPracticesWithLogs<{ seconds: string | null }>(pool, text, values);
  return Math.max(0, Number(row?.seconds ?? 0));
}

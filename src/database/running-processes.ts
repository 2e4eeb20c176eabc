import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type pg from 'pg';
import type { Keyring } from './encryption/keyring.ts';

/** Milliseconds between two signs of life. */
const BEAT_MS = 20_000;

/** Condition on a row: a process that has left no sign of life for a minute is gone. */
export const SEEN_RECENTLY = `seen_at > now() - interval '1 minute'`;

const BEAT = `
  INSERT INTO running_process (id, name, key_ids) VALUES ($1::uuid, $2::text, $3::text[])
      ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`;

/**
 * Leaves a sign of life of this process in the database, with the ids of its master keys, until it is stopped. Without the database it
 * leaves none; requests and jobs tell of that.
 * @returns once the first is there: stops, and takes the process off the list
 */
export async function startHeartbeat(
  pool: pg.Pool,
  kind: 'server' | 'worker',
  { ids }: Pick<Keyring, 'ids'>,
): Promise<() => Promise<void>> {
  const id = randomUUID();
  const name = `${kind} ${process.pid} on ${hostname()}`;
  const beat = async () => void (await pool.query(BEAT, [id, name, ids]).catch(() => {}));
  let beating = beat();
  await beating;
  const timer = setInterval(() => {
    beating = beat();
  }, BEAT_MS).unref();
  return async () => {
    clearInterval(timer);
    await beating;
    await pool.query('DELETE FROM running_process WHERE id = $1::uuid', [id]).catch(() => {});
  };
}

/** A running process, and the keys that it lacks. */
export interface ProcessLackingKeys {
  /** Its kind, number and machine: `server 4711 on clinic-1`. */
  name: string;
  lacks: string[];
}

/** The processes that lack any of these master keys. */
export async function listProcessesLacking(pool: pg.Pool, keyIds: readonly string[]): Promise<ProcessLackingKeys[]> {
  const { rows } = await pool.query<ProcessLackingKeys>(LACKING, [keyIds]);
  return rows;
}

const LACKING = `
  SELECT name, ARRAY(SELECT wanted.id FROM unnest($1::text[]) AS wanted (id) WHERE wanted.id <> ALL (key_ids)) AS lacks
    FROM running_process WHERE ${SEEN_RECENTLY} AND NOT key_ids @> $1::text[] ORDER BY name, id`;

import type pg from 'pg';
import type { Logger } from 'pino';
import type { Keyring } from '../database/encryption/keyring.ts';
import { readiness } from '../database/readiness.ts';
import { startHeartbeat } from '../database/running-processes.ts';

/**
 * Lists a process that serves or works among the running ones, and logs what an operator should look at.
 * @returns takes it off the list
 */
export async function announceProcess(
  kind: 'server' | 'worker',
  { pool, keyring, logger }: { pool: pg.Pool; keyring: Keyring; logger: Pick<Logger, 'warn'> },
): Promise<() => Promise<void>> {
  const stopHeartbeat = await startHeartbeat(pool, kind, keyring);
  for (const warning of (await readiness(pool, keyring)).warnings ?? []) logger.warn(warning);
  return stopHeartbeat;
}

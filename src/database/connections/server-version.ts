import type pg from 'pg';
import { StartError } from '../../config/start-errors.ts';

/** The oldest PostgreSQL that is tested (`.ci/postgres-oldest`). */
const OLDEST = 15;

/**
 * @param variable that has the address of the server
 * @throws StartError when its PostgreSQL is too old
 */
export async function requireServerVersion(client: { query: pg.Client['query'] | pg.Pool['query'] }, variable: string): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  const version = rows[0]?.server_version.split(' ', 1)[0] ?? '';
  if (Number.parseInt(version, 10) >= OLDEST) return;
  throw new StartError(`${variable}: it points to PostgreSQL ${version}, which is too old. Use version ${OLDEST} or later.`);
}

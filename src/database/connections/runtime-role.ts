import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { splitServers } from '../../config/database-address.ts';
import { StartError } from '../../config/start-errors.ts';

const PRIVILEGES_FILE = join(import.meta.dirname, 'runtime-role.sql');

/** Addresses of one database: that of the role that servers and workers have, and that of the owner, which migrates. */
export interface DatabaseUrls {
  url: string;
  /** The same as `url` where one role does both. */
  ownerUrl: string;
  /** A folder on its disk, where that is one of this machine. */
  disk?: string;
  /** Leads past the pooler that `url` leads to, under its role; left out where there is none. */
  directUrl?: string | undefined;
}

/** The address for what needs a session of PostgreSQL, under the runtime role. */
export const chooseDirectUrl = ({ url, directUrl }: Pick<DatabaseUrls, 'url' | 'directUrl'>): string => directUrl ?? url;

/**
 * Grants the runtime role what it needs on all tables, and revokes the rest. Does nothing where one role does both.
 * @param client connected as the owner
 * @throws StartError when there is no such role
 */
export async function grantToRuntimeRole(client: pg.Client, { url, ownerUrl }: DatabaseUrls): Promise<void> {
  const runtime = readRole(url);
  if (runtime === readRole(ownerUrl)) return;
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [runtime]);
  if (rowCount === 0)
    throw new StartError(`DATABASE_URL: the database server has no role "${runtime}". Create it first (docs/operations.md).`);
  const privileges = await readFile(PRIVILEGES_FILE, 'utf8');
  await client.query('BEGIN');
  await client.query("SELECT set_config('triptych.runtime_role', $1, true)", [runtime]);
  await client.query(privileges);
  await client.query('COMMIT');
}

/** The user of an address, by the rules of the driver. */
export function readRole(url: string): string {
  return new pg.Client({ connectionString: splitServers(url)[0] }).user ?? '';
}

type Queryable = { query: pg.Client['query'] };

/** Whether this connection's role owns the tables, or may create them where there are none: it can then change the audit, too. */
export async function isOwner(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ owner: boolean }>(
    `SELECT coalesce((SELECT pg_has_role(relowner, 'MEMBER') FROM pg_class WHERE oid = to_regclass('event')),
                     has_schema_privilege(current_schema(), 'CREATE')) AS owner`,
  );
  return rows[0]?.owner === true;
}

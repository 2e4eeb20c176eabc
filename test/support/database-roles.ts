import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import type { DatabaseUrls } from '../../src/database/connections/runtime-role.ts';

/** The same database for the role that owns its tables: for triggers, functions and constraints that a test adds. */
export const asOwner = (url: string): string => withRole(url, inject('ownerUrl'));

/**
 * The same database for the superuser: for what no role of an installation may do, such as changing the audit with its
 * triggers disabled, and for filling tables without checking foreign keys.
 */
export const asSuperuser = (url: string): string => withRole(url, inject('superuserUrl'));

/** Both addresses of a database, as a migration needs them. */
export const databaseUrls = (url: string): DatabaseUrls => ({ url, ownerUrl: asOwner(url) });

/** Runs statements as the owner of the tables. */
export const runAsOwner = (url: string, sql: string): Promise<void> => runSql(asOwner(url), sql);

/** Runs statements as the superuser. */
export const runAsSuperuser = (url: string, sql: string): Promise<void> => runSql(asSuperuser(url), sql);

/** Runs statements as the superuser in one transaction in which neither triggers nor foreign keys are checked, nor on the nodes of a cluster. */
export const runWithoutTriggers = (url: string, sql: string): Promise<void> =>
  runSql(
    asSuperuser(url),
    'BEGIN',
    "SET LOCAL citus.propagate_set_commands = 'local'",
    'SET LOCAL session_replication_role = replica',
    sql,
    'COMMIT',
  );

/** The address of a new database without tables, under the runtime role. */
export async function createEmptyDatabase(): Promise<string> {
  const { username: owner } = new URL(inject('ownerUrl'));
  const name = `empty_${randomUUID().replaceAll('-', '')}`;
  await runSql(Object.assign(new URL(inject('superuserUrl')), { pathname: '/postgres' }).href, `CREATE DATABASE ${name} OWNER ${owner}`);
  return Object.assign(new URL(inject('templateUrl')), { pathname: `/${name}` }).href;
}

function withRole(url: string, role: string): string {
  const { username, password } = new URL(role);
  return Object.assign(new URL(url), { username, password }).href;
}

/** Runs statements, each sent by itself, on a connection of their own. */
export async function runSql(connectionString: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (const sql of statements) await client.query(sql);
  } finally {
    await client.end();
  }
}

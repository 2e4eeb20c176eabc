import type pg from 'pg';

/** The superuser of an embedded database. It creates the two roles below and the database at the first start, and nothing after that. */
export const SUPERUSER = 'postgres';
/** Owns the database and everything in it, and applies the migrations. */
const OWNER = 'triptych_owner';
/** The role of servers, workers and commands; `src/database/connections/runtime-role.sql` lists its privileges. */
const RUNTIME = 'triptych';
const DATABASE = 'triptych';

export interface Passwords {
  superuser: string;
  owner: string;
  runtime: string;
}

export interface RoleUrls {
  url: string;
  ownerUrl: string;
  superuserUrl: string;
}

export function roleUrls(passwords: Passwords, port: number): RoleUrls {
  const address = (role: string, password: string) => `postgresql://${role}:${password}@127.0.0.1:${port}/${DATABASE}`;
  return {
    url: address(RUNTIME, passwords.runtime),
    ownerUrl: address(OWNER, passwords.owner),
    superuserUrl: address(SUPERUSER, passwords.superuser),
  };
}

/**
 * Creates the roles and the database where they are missing. The database is created last, so that a start that was killed
 * in between is completed by the next one.
 * @param client the superuser's, connected to another database of the cluster
 */
export async function createDatabase(client: pg.Client, { owner, runtime }: Passwords): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
  if (rowCount !== 0) return;
  await createRole(client, OWNER, owner);
  await createRole(client, RUNTIME, runtime);
  await client.query(`CREATE DATABASE ${DATABASE} OWNER ${OWNER}`);
}

async function createRole(client: pg.Client, role: string, password: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  if (rowCount === 0) await client.query(`CREATE ROLE ${role}`);
  await client.query(
    `ALTER ROLE ${role} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD ${client.escapeLiteral(password)}`,
  );
}

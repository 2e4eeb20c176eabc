import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { StartError } from '../../config/start-errors.ts';
import { type ConnectionOptions, describeError, onConnection } from '../connections/single-connection.ts';
import { connectionOptions, POOLED_SETTINGS, pooledOptions } from '../database.ts';
import { databaseErrorCode } from '../errors.ts';

/** Addresses of one database under one role: through a pooler, and past it. */
interface PooledUrls {
  url: string;
  directUrl: string;
}

/** SQLSTATEs of a named statement that a session of PostgreSQL does not know, or knows from somebody else. */
const NOT_PREPARED = ['26000', '42P05'];
/** Rounds in which a pooler may give the same session twice. */
const ROUNDS = 5;
/** Key of the advisory lock of those who change the settings of the role; the value is arbitrary. */
const ADVISORY_LOCK = 7_410_261;

const PREPARED = 'PgBouncer 1.21 or later does, with max_prepared_statements = 500';

/** @throws StartError where a connection leads to a pooler: what is left in a session would be others' */
export async function requireSession(client: pg.Client, variable: string): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  // The number that the connection was told of at its beginning, for cancelling; a pooler tells one of its own.
  const told: unknown = Reflect.get(client, 'processID');
  if (rows[0]?.pid !== told) throw new StartError(leadsToPooler(variable));
}

export const isPoolersRefusal = (error: unknown): boolean => error instanceof Error && /unsupported startup parameter/.test(error.message);

/** A sentence for the operator. @param variable the one whose address should lead to PostgreSQL itself */
export function leadsToPooler(variable: string): string {
  const advice =
    variable === 'DATABASE_URL'
      ? 'Set DATABASE_DIRECT_URL to an address that bypasses it.'
      : 'This address must point to PostgreSQL itself.';
  return `${variable}: it points to a connection pooler. ${advice}`;
}

/**
 * Makes sure that all works through the pooler of an address: gives the role the settings of sessions where it lacks them, and looks whether
 * transactions and named statements go through.
 * @param warn receives a sentence for the operator
 * @throws StartError naming what the pooler lacks
 */
export async function preparePooler(urls: PooledUrls, warn: (sentence: string) => void): Promise<void> {
  await withConnection(connectionOptions(urls.directUrl, 10_000), 'DATABASE_DIRECT_URL', setForRole);
  const lacking = await lackingSettings(urls);
  if (lacking.length > 0)
    warn(
      `DATABASE_URL: sessions of the pooler have settings of other sessions (${lacking.join(', ')}). Restart it, or run RECONNECT in its console.`,
    );
}

/**
 * Looks whether transactions and named statements go through the pooler.
 * @returns the names of settings that its sessions lack
 * @throws StartError naming what the pooler lacks
 */
export async function lackingSettings(urls: PooledUrls): Promise<string[]> {
  const direct = await withConnection(connectionOptions(urls.directUrl, 10_000), 'DATABASE_DIRECT_URL', readDatabaseMark);
  const withPooled = <T>(work: (client: pg.Client) => Promise<T>) => withConnection(pooledOptions(urls.url), 'DATABASE_URL', work);
  return withPooled(async (client) => {
    if ((await readDatabaseMark(client)) !== direct)
      throw new StartError('DATABASE_DIRECT_URL: it points to a different database than DATABASE_URL.');
    const lacking = await withPooled((other) => lookThrough(client, other));
    if (lacking.includes('TimeZone'))
      throw new StartError('DATABASE_URL: sessions of the pooler are not in UTC. Remove options from its ignore_startup_parameters.');
    return lacking;
  });
}

/** Gives the role the settings, and ends idle sessions that have others: a pooler keeps its sessions for an hour. */
async function setForRole(client: pg.Client): Promise<void> {
  await client.query('BEGIN');
  await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
  const { rows } = await client.query<{ setting: string }>(ROLE_SETTINGS);
  const set = new Set(rows.map(({ setting }) => setting));
  const missing = Object.entries(POOLED_SETTINGS).filter(([name, value]) => !set.has(`${name}=${value}`));
  const { rows: names } = await client.query<{ name: string }>('SELECT current_database() AS name');
  const database = pg.escapeIdentifier(names[0]?.name ?? '');
  for (const [name, value] of missing)
    await client.query(`ALTER ROLE CURRENT_USER IN DATABASE ${database} SET ${name} = ${pg.escapeLiteral(String(value))}`);
  await client.query('COMMIT');
  if (missing.length > 0) await client.query(END_IDLE);
}

/** @returns the settings that sessions lack */
async function lookThrough(client: pg.Client, other: pg.Client): Promise<string[]> {
  const name = `look_${randomBytes(8).toString('hex')}`;
  const look = async () => (await client.query<Session>({ name, text: SESSION_LOOK, values: [Object.keys(POOLED_SETTINGS)] })).rows[0];
  for (let round = 1; ; round += 1) {
    const before = await look();
    // While the other one holds a session in its transaction, the same statement has to go through in another session.
    await other.query('BEGIN').catch((error: unknown) => {
      throw new StartError(
        `DATABASE_URL: the pooler does not support transactions (${describeError(error)}). Set its pool_mode to transaction.`,
      );
    });
    await other.query('SELECT 1');
    const after = await look().catch((error: unknown) => {
      if (!NOT_PREPARED.includes(databaseErrorCode(error) ?? ''))
        throw new StartError(`DATABASE_URL: the pooler has no second session (${describeError(error)}). Raise its default_pool_size.`);
      throw new StartError(`DATABASE_URL: the pooler does not support prepared statements. ${PREPARED}.`);
    });
    await other.query('COMMIT');
    if (after && (after.pid !== before?.pid || round === ROUNDS)) return after.settings.flatMap(findWrongSetting);
  }
}

interface Session {
  pid: number;
  settings: { name: string; value: string }[];
}

/** As `pg_settings` has it: times in milliseconds, without a unit. */
const findWrongSetting = ({ name, value }: Session['settings'][number]): string[] =>
  String(POOLED_SETTINGS[name]) === value ? [] : [name];

async function readDatabaseMark(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ mark: string }>(DATABASE_MARK);
  return rows[0]?.mark;
}

/** @param variable whose address it is */
const withConnection = <T>(options: ConnectionOptions, variable: string, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  onConnection(
    options,
    (error) => {
      const reason = isPoolersRefusal(error)
        ? `the pooler is too old for this server. ${PREPARED}`
        : `it cannot be reached (${describeError(error)})`;
      return `${variable}: ${reason}.`;
    },
    work,
  );

/** Its cluster, and its number there. */
const DATABASE_MARK = `
  SELECT system_identifier || ' ' || (SELECT oid FROM pg_database WHERE datname = current_database()) AS mark FROM pg_control_system()`;

const ROLE_SETTINGS = `
  SELECT unnest(setconfig) AS setting FROM pg_db_role_setting
   WHERE setrole = current_user::regrole AND setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Between two transactions a session holds nothing; those who use it connect again. */
const END_IDLE = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
   WHERE usename = current_user AND datname = current_database() AND state = 'idle' AND pid <> pg_backend_pid()`;

const SESSION_LOOK = `
  SELECT pg_backend_pid() AS pid, jsonb_agg(jsonb_build_object('name', name, 'value', setting)) AS settings
    FROM pg_settings WHERE name = ANY ($1::text[])`;

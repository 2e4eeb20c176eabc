import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isOwner } from '../../src/database/connections/runtime-role.ts';
import { migrate } from '../../src/database/migrations/migrations.ts';
import { integrationClient } from '../support/actors.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { asOwner, asSuperuser, createEmptyDatabase, databaseUrls } from '../support/database-roles.ts';

const APPEND_ONLY = [
  'audit_entry',
  'audit_link',
  'audit_operation',
  'closed_ledger_row',
  'closed_month',
  'event',
  'monitoring_consent',
  'review_release',
];
/** Written by migrations alone. */
const READ_ONLY = ['_prisma_migrations', 'log_epoch'];

/** Partitions of the logs have their own tests (log-partitions.test.ts). */
const besidesLogs = `relname !~ '^(audit_entry|event)_(default|[0-9]{4}_[0-9]{2})$'`;

let url: string;
let client: pg.Client;
beforeAll(async () => {
  url = await createEmptyDatabase();
  await migrate(databaseUrls(url));
  client = await connect(url);
});
afterAll(() => client.end());

async function connect(address: string): Promise<pg.Client> {
  const made = new pg.Client({ connectionString: address });
  await made.connect();
  return made;
}

/** Names of the tables, in the schema of the records and that of the queue, on which a role has a privilege. */
async function tablesWith(privilege: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
      WHERE relnamespace IN ('public'::regnamespace, 'queue'::regnamespace) AND relkind IN ('r', 'p') AND ${besidesLogs}
        AND has_table_privilege(current_user, oid, $1) ORDER BY relname COLLATE "C"`,
    [privilege],
  );
  return rows.map(({ name }) => name);
}

describe('the runtime role', () => {
  it('has no attribute beyond signing in, is in no other role, and owns nothing', async () => {
    const { rows } = await client.query(`
      SELECT rolcanlogin, rolsuper, rolbypassrls, rolcreatedb, rolcreaterole, rolreplication,
             (SELECT count(*)::int FROM pg_auth_members WHERE member = r.oid) AS roles,
             (SELECT count(*)::int FROM pg_shdepend WHERE refclassid = 'pg_authid'::regclass AND refobjid = r.oid AND deptype = 'o') AS owned
        FROM pg_roles AS r WHERE rolname = current_user`);
    expect(rows).toEqual([
      {
        rolcanlogin: true,
        rolsuper: false,
        rolbypassrls: false,
        rolcreatedb: false,
        rolcreaterole: false,
        rolreplication: false,
        roles: 0,
        owned: 0,
      },
    ]);
    expect(await isOwner(client)).toBe(false);
  });

  it('adds rows to every table but those of the migrations, and changes or deletes them in every table that is not append-only', async () => {
    const tables = await tablesWith('SELECT');
    const { rows } = await client.query(
      `SELECT FROM pg_class WHERE relnamespace IN ('public'::regnamespace, 'queue'::regnamespace) AND relkind IN ('r', 'p') AND ${besidesLogs}`,
    );
    expect(tables).toHaveLength(rows.length);
    expect(tables).toEqual(expect.arrayContaining([...APPEND_ONLY, ...READ_ONLY, 'patient', 'session', 'job']));
    const besides = (kept: string[]) => tables.filter((table) => !kept.includes(table));
    expect(await tablesWith('INSERT')).toEqual(besides([...READ_ONLY]));
    expect(await tablesWith('UPDATE')).toEqual(besides([...READ_ONLY, ...APPEND_ONLY]));
    expect(await tablesWith('DELETE')).toEqual(besides([...READ_ONLY, ...APPEND_ONLY]));
    for (const privilege of ['TRUNCATE', 'REFERENCES', 'TRIGGER']) expect(await tablesWith(privilege)).toEqual([]);
  });

  it.each([
    ...[...APPEND_ONLY, ...READ_ONLY].flatMap((table) => [
      `DELETE FROM ${table}`,
      `TRUNCATE ${table}`,
      `ALTER TABLE ${table} DISABLE TRIGGER ALL`,
      `DROP TABLE ${table}`,
    ]),
    'UPDATE event SET name = name',
    'UPDATE audit_entry SET actor = actor',
    'UPDATE audit_link SET hash = hash',
    'UPDATE log_epoch SET transaction_offset = 0',
    'UPDATE _prisma_migrations SET finished_at = NULL',
    'SELECT FROM audit_entry FOR UPDATE',
    `INSERT INTO log_epoch DEFAULT VALUES`,
    'DROP TRIGGER audit_entry_append_only ON audit_entry',
    'CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
    'CREATE TRIGGER other BEFORE INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION refuse_change()',
    'SET session_replication_role = replica',
    'CREATE TABLE other (id int)',
    'CREATE TABLE queue.other (id int)',
    'CREATE TEMPORARY TABLE other (id int)',
    'CREATE INDEX ON patient (id)',
    'ALTER TABLE patient ADD COLUMN other int',
    'CREATE FUNCTION other() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    'CREATE SCHEMA other',
    'CREATE EXTENSION hstore',
    'CREATE DATABASE other',
    'CREATE ROLE other',
    'ALTER ROLE CURRENT_USER SUPERUSER',
    `ALTER SYSTEM SET log_statement = 'all'`,
    `COPY patient TO '/tmp/patients'`,
    `SELECT * FROM pg_authid`,
  ])('may not: %s', async (statement) => {
    await expect(client.query(statement).then(({ command, rowCount }) => ({ command, rowCount }))).rejects.toThrow(
      /permission denied|must be owner|must be superuser|must be able/i,
    );
  });

  it('cannot become the owner', async () => {
    const owner = new URL(asOwner(url)).username;
    await expect(client.query(`SET ROLE ${owner}`)).rejects.toThrow(/permission denied/);
    await expect(client.query(`GRANT ${owner} TO CURRENT_USER`)).rejects.toThrow(/permission denied|must have admin option/);
  });

  it('reaches eight functions that run with the rights of another role: for old events, for partitions and the archive of the logs, and a trigger that packs entries of the audit', async () => {
    const { rows } = await client.query(
      `SELECT proname, prorettype::regtype::text AS returns FROM pg_proc
        WHERE prosecdef AND pronamespace IN ('public'::regnamespace, 'queue'::regnamespace) ORDER BY proname`,
    );
    expect(rows).toEqual([
      { proname: 'delete_archived_audit', returns: 'bigint' },
      { proname: 'delete_oldest_events', returns: expect.any(String) },
      { proname: 'drop_archived_audit', returns: 'text[]' },
      { proname: 'drop_empty_event_partitions', returns: expect.any(String) },
      { proname: 'log_rows_without_partition', returns: expect.any(String) },
      { proname: 'make_log_partitions', returns: expect.any(String) },
      { proname: 'pack_audit_entry', returns: 'trigger' },
      { proname: 'phone_number_held', returns: 'trigger' },
    ]);
  });

  it('is given privileges on tables that a later migration adds, and refused changes of append-only ones', async () => {
    const owner = await connect(asOwner(url));
    onTestFinished(() => owner.end());
    await owner.query(`
      CREATE TABLE later (id serial PRIMARY KEY);
      CREATE TABLE later_log (id serial PRIMARY KEY);
      CREATE TRIGGER later_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON later_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`);
    await expect(client.query('INSERT INTO later DEFAULT VALUES')).rejects.toThrow(/permission denied/);
    await migrate(databaseUrls(url));
    await client.query(
      'INSERT INTO later DEFAULT VALUES; UPDATE later SET id = 2; DELETE FROM later; INSERT INTO later_log DEFAULT VALUES',
    );
    await expect(client.query('DELETE FROM later_log')).rejects.toThrow(/permission denied/);
    await owner.query('DROP TABLE later, later_log');
  });

  it('loses at the next migration what was granted to it by hand', async () => {
    const superuser = await connect(asSuperuser(url));
    onTestFinished(() => superuser.end());
    const name = pg.escapeIdentifier(new URL(url).username);
    await superuser.query(`GRANT ALL ON audit_entry TO ${name}; GRANT CREATE ON SCHEMA public TO PUBLIC`);
    // A grant by a superuser counts as one of the table's owner, who can therefore revoke it.
    await migrate(databaseUrls(url));
    await expect(client.query('DELETE FROM audit_entry')).rejects.toThrow(/permission denied/);
    await expect(client.query('CREATE TABLE other (id int)')).rejects.toThrow(/permission denied/);
  });
});

describe('a server under the runtime role', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({}, { databaseUrl: url });
  });
  afterAll(() => test.close());

  it('is ready, writes and reads', async () => {
    expect(await test.http.get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
    const clinic = await integrationClient(test);
    expect((await clinic.post('/patients').send({ fname: 'Ann', med_rec_no: 'R-1' })).status).toBe(200);
    expect((await clinic.get('/patients/mrn/R-1')).status).toBe(200);
    const { rows } = await test.database.pool.query('SELECT DISTINCT usename FROM pg_stat_activity WHERE datname = current_database()');
    expect(rows).toEqual([{ usename: new URL(url).username }]);
  });
});

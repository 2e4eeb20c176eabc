import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrateAsOwner } from '../../src/database/migrations/migrate-on-start.ts';
import { concurrentIndex, explainFailure, runConcurrently, runScript } from '../../src/database/migrations/migration-scripts.ts';
import { createTestDatabase } from '../support/app.ts';
import { asOwner, asSuperuser, databaseUrls, runAsOwner } from '../support/database-roles.ts';
import { withNextMigrations } from '../support/next-migration.ts';
import { eventually } from '../support/server-process.ts';

async function database() {
  const url = asOwner(await createTestDatabase());
  const pool = new pg.Pool({ connectionString: url });
  onTestFinished(() => pool.end());
  return { url, pool, connect: () => pool.connect() };
}

const ADD = 'ALTER TABLE patient ADD COLUMN tried integer; ALTER TABLE appointment ADD COLUMN tried integer';

describe('the script of a migration', () => {
  it('is run again while a transaction holds its table, and lets others in between', async () => {
    const { pool, connect } = await database();
    const holder = await pool.connect();
    await holder.query('BEGIN; SELECT FROM patient LIMIT 1');
    const said: string[] = [];
    const running = runScript(connect, ADD, { notice: (sentence) => said.push(sentence), lockWaitMs: 100, pauseMs: 50 });
    await eventually('it waits', async () => said.length === 1);
    // Who reads meanwhile waits behind one try at most.
    await pool.query(`SET statement_timeout = '20s'; SELECT count(*) FROM patient`);
    await holder.query('COMMIT');
    holder.release();
    await running;
    expect(said).toEqual(['A migration is waiting for a table that is in use, and retries until it is free.']);
    await pool.query('SELECT p.tried, a.tried FROM patient p, appointment a');
  });

  it('is given up with a sentence where the table stays in use, and leaves nothing', async () => {
    const { pool, connect } = await database();
    const holder = await pool.connect();
    await holder.query('BEGIN; SELECT FROM appointment LIMIT 1');
    const options = { notice: () => {}, lockWaitMs: 50, pauseMs: 10, tries: 3 };
    await expect(runScript(connect, ADD, options)).rejects.toThrow(
      /was not applied because a table was in use for minutes.*pg_stat_activity/,
    );
    await holder.query('ROLLBACK');
    holder.release();
    await expect(pool.query('SELECT tried FROM patient')).rejects.toThrow('does not exist');
  });

  it('is run again after a deadlock', async () => {
    const { url, pool, connect } = await database();
    const other = new pg.Client({ connectionString: asSuperuser(url) });
    onTestFinished(() => other.end());
    await other.connect();
    // PostgreSQL ends the one who looks first whether there is a deadlock; the script does, or stops waiting.
    await other.query(`SET deadlock_timeout = '60s'; BEGIN; LOCK TABLE appointment IN ACCESS SHARE MODE`);
    const script = `LOCK TABLE patient IN ACCESS EXCLUSIVE MODE; ${ADD}`;
    const running = runScript(connect, script, { notice: () => {}, lockWaitMs: 5_000, pauseMs: 300 });
    const isHeld = `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                     WHERE d.datname = current_database() AND l.relation = 'patient'::regclass AND l.mode = 'AccessExclusiveLock' AND l.granted`;
    await eventually('the script has the first table', async () => (await pool.query(isHeld)).rowCount === 1);
    await other.query('SELECT FROM patient LIMIT 1; COMMIT');
    await running;
    await pool.query('SELECT p.tried, a.tried FROM patient p, appointment a');
  });
});

describe('a migration that fails', () => {
  it('is named in one sentence, without the stack of an engine, and runs once its cause is gone', async () => {
    const url = await createTestDatabase();
    const next = '29991231000000_next';
    const folder = await withNextMigrations({ [next]: 'CREATE TABLE new_one (id int); CREATE TABLE database_size (id int)' });
    const failed = await migrateAsOwner(databaseUrls(url), { folder }).catch((error: unknown) => error);
    expect(String(failed)).toBe(
      `Error: The migration ${next} could not be applied and was rolled back: relation "database_size" already exists (42P07).`,
    );
    await runAsOwner(url, 'DROP TABLE database_size');
    expect(await migrateAsOwner(databaseUrls(url), { folder })).toEqual([next]);
  });

  it('quotes no stored value', async () => {
    const { pool } = await database();
    await pool.query(`CREATE TABLE named (name text); INSERT INTO named VALUES ('Zebedee'), ('Zebedee')`);
    for (const script of ['CREATE UNIQUE INDEX named_once ON named (name)', 'ALTER TABLE named ALTER name TYPE int USING name::int']) {
      const failed = await pool.query(script).catch((error: unknown) => error);
      const { message } = explainFailure(failed, '20261130000000_names');
      expect(message).toMatch(/^The migration 20261130000000_names could not be applied and was rolled back: stored rows /);
      expect(message).not.toContain('Zebedee');
    }
  });
});

describe('an index that a migration builds beside writers', () => {
  const BUILD = '-- For a list.\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "named_once"\n  ON named (name);\n';

  it('is told by its script, which is that statement alone', () => {
    expect(concurrentIndex(BUILD)).toBe('named_once');
    expect(concurrentIndex('DROP INDEX CONCURRENTLY IF EXISTS named_once')).toBe('named_once');
    for (const other of ['CREATE INDEX named_once ON named (name)', `${BUILD} SELECT 1;`, 'CREATE INDEX CONCURRENTLY i ON named (name);'])
      expect(concurrentIndex(other), other).toBeNull();
  });

  it('holds up no writer, and takes the place of what an earlier try left', async () => {
    const { pool, connect } = await database();
    await pool.query(`CREATE TABLE named (name text); INSERT INTO named VALUES ('Zebedee'), ('Zebedee')`);
    await expect(runConcurrently(connect, BUILD, 'named_once')).rejects.toThrow('could not create unique index');
    const valid = async () => (await pool.query(`SELECT indisvalid FROM pg_index WHERE indexrelid = 'named_once'::regclass`)).rows;
    expect(await valid()).toEqual([{ indisvalid: false }]);
    await pool.query('DELETE FROM named');
    const writer = await pool.connect();
    await writer.query(`BEGIN; INSERT INTO named VALUES ('Ada')`);
    const building = runConcurrently(connect, BUILD, 'named_once');
    const waits = `SELECT FROM pg_stat_activity WHERE query LIKE '%INDEX CONCURRENTLY%' AND wait_event_type = 'Lock'`;
    await eventually('it waits for the writer', async () => (await pool.query(waits)).rowCount === 1);
    await pool.query(`SET statement_timeout = '20s'; INSERT INTO named VALUES ('Bob')`);
    await writer.query('COMMIT');
    writer.release();
    await building;
    expect(await valid()).toEqual([{ indisvalid: true }]);
    await runConcurrently(connect, BUILD, 'named_once');
  });
});

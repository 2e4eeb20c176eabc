import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { horizonSteps } from '../../src/database/distribution/horizon.ts';
import { distribute } from '../../src/database/migrations/distribute.ts';
import { createTestDatabase } from '../support/app.ts';
import { asOwner, databaseUrls } from '../support/database-roles.ts';
import { clusterFaults, clusterRules } from './cluster.ts';

let url: string;
let client: pg.Client;
beforeAll(async () => {
  url = await createTestDatabase();
  client = new pg.Client({ connectionString: asOwner(url) });
  await client.connect();
});
afterAll(() => client.end());

describe('the schema, in a cluster of Citus,', () => {
  it('has a place for every table, and nothing that a node would refuse', async () => {
    expect(await clusterFaults(client)).toEqual({});
  });

  it('is looked at by rules that find what breaks them', async () => {
    await client.query('BEGIN');
    await client.query(`
      CREATE TABLE stray (id int PRIMARY KEY);
      ALTER TABLE recovery_code DROP CONSTRAINT recovery_code_pkey, ALTER COLUMN organization_id DROP NOT NULL;
      CREATE UNIQUE INDEX chat_alone ON chat (id);
      ALTER TABLE stray ADD COLUMN chat int REFERENCES chat (id);
      ALTER TABLE late_notice RENAME TO was_notice;

      CREATE UNLOGGED TABLE late_notice (LIKE was_notice);
      CREATE FUNCTION of_all() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER of_all AFTER INSERT ON office REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION of_all();
      CREATE TRIGGER of_all AFTER INSERT ON organization FOR EACH ROW EXECUTE FUNCTION of_all();
      DROP TRIGGER api_client_exists ON api_client_grant;
      CREATE FUNCTION parsed() RETURNS int LANGUAGE sql RETURN 1;
      CREATE FUNCTION reads() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM patient';
      ALTER TABLE office ALTER COLUMN name SET DEFAULT random()::text;
      ALTER TABLE audit_roll RENAME TO moved`);
    const faults = await clusterFaults(client);
    await client.query('ROLLBACK');
    expect(Object.keys(faults).sort()).toEqual([...clusterRules].sort());
  });
});

describe('npm run db:distribute', () => {
  const wishes = { dryRun: true, shards: 8, report: () => {} };

  it('refuses a database without the extension, in one sentence', async () => {
    await expect(distribute(databaseUrls(url), wishes)).rejects.toThrow(
      /^The database has no extension "citus": [^.]+\(docs\/scaling.md\)\.$/,
    );
  });
});

describe('the horizon of the logs as the coordinator of a cluster reads it', () => {
  it('is below a transaction until it has ended, as on one machine, and is put in its place once', async () => {
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('BEGIN');
    const number = await readNumber(other, 'log_transaction()');
    await client.query('BEGIN');
    const before = await readNumber(client, 'log_horizon()');
    for (const { sql } of await horizonSteps(client)) await client.query(sql);
    expect(await horizonSteps(client)).toEqual([]);
    const horizon = await readNumber(client, 'log_horizon()');
    expect(horizon).toBeLessThanOrEqual(number);
    expect(horizon).toBeGreaterThanOrEqual(before);
    await other.query('COMMIT');
    // Transactions of other tests on this server hold the horizon back until they end.
    await expect.poll(() => readNumber(client, 'log_horizon()'), { timeout: 90_000 }).toBeGreaterThan(number);
    await client.query('ROLLBACK');
    await other.end();
  });
});

async function readNumber(on: pg.Client, sql: string): Promise<number> {
  const { rows } = await on.query<{ number: string }>(`SELECT ${sql}::text AS number`);
  return Number(rows[0]?.number);
}

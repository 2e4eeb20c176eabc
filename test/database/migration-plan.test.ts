import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VERSION } from '../../src/config/version.ts';
import { migrateAsOwner } from '../../src/database/migrate-on-start.ts';
import { effectsOf } from '../../src/database/migration-effects.ts';
import { isLong, planLines, planMigrations, requireRoom } from '../../src/database/migration-plan.ts';
import { MIGRATIONS_FOLDER, migrationNames } from '../../src/database/migrations.ts';
import { EARLIER_RELEASES, releaseOf } from '../../src/database/releases.ts';
import { createTestDatabase } from '../support/app.ts';
import { asOwner, databaseUrls } from '../support/database-roles.ts';
import { createManyPatients } from '../support/many-patients.ts';

describe('the work of a migration', () => {
  it.each([
    ['CREATE TABLE n (id int); CREATE INDEX i ON n (id); ALTER TABLE n ADD CHECK (id > 0)', []],
    ['CREATE UNIQUE INDEX "i" ON "patient"("id") WHERE id > 1', [{ table: 'patient', work: 'indexes', beside: false }]],
    [
      '-- For a list.\nCREATE INDEX CONCURRENTLY IF NOT EXISTS i\n ON public.patient (id)',
      [{ table: 'patient', work: 'indexes', beside: true }],
    ],
    [
      'UPDATE "user" u SET a = 1; DELETE FROM ONLY patient',
      ['user', 'patient'].map((table) => ({ table, work: 'changes', beside: false })),
    ],
    ['ALTER TABLE patient ADD COLUMN a int DEFAULT 1, DROP COLUMN b', []],
    ['ALTER TABLE "patient" ADD COLUMN a text GENERATED ALWAYS AS (b) STORED', [{ table: 'patient', work: 'rewrites', beside: false }]],
    ['ALTER TABLE patient ALTER COLUMN a SET DATA TYPE bigint', [{ table: 'patient', work: 'rewrites', beside: false }]],
    ['ALTER TABLE patient ADD CONSTRAINT c CHECK (a > 1)', [{ table: 'patient', work: 'reads', beside: false }]],
    ['ALTER TABLE patient ADD CONSTRAINT c CHECK (a > 1) NOT VALID', []],
    ['ALTER TABLE patient VALIDATE CONSTRAINT c', [{ table: 'patient', work: 'reads', beside: true }]],
    ['ALTER TABLE patient ADD CONSTRAINT c PRIMARY KEY (id)', [{ table: 'patient', work: 'indexes', beside: false }]],
    ['ALTER TABLE patient ADD CONSTRAINT c PRIMARY KEY USING INDEX i', []],
    ['CREATE OR REPLACE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE patient SET a = 1; END $$;', []],
    ['DO $$ BEGIN UPDATE patient SET a = 1; END $$', [{ table: 'patient', work: 'changes', beside: false }]],
    ['CREATE TRIGGER t BEFORE INSERT OR UPDATE ON patient FOR EACH ROW EXECUTE FUNCTION f()', []],
  ])('is read from its script: %s', (script, effects) => {
    expect(effectsOf(script)).toEqual(effects);
  });

  it('names tables that exist, or that migrations made', async () => {
    const scripts = await Promise.all(
      (await migrationNames()).map((name) => readFile(join(MIGRATIONS_FOLDER, name, 'migration.sql'), 'utf8')),
    );
    const made = new Set(
      scripts.flatMap((script) => [...script.matchAll(/create table (?:if not exists )?"?(\w+)/gi)].map(([, name]) => name)),
    );
    const renamed = scripts.flatMap((script) => [...script.matchAll(/rename to "?(\w+)/gi)].map(([, name]) => name));
    const touched = scripts.flatMap(effectsOf).map(({ table }) => table);
    expect(touched.filter((table) => !made.has(table) && !renamed.includes(table))).toEqual([]);
    expect(touched).toContain('appointment');
  });
});

describe('the plan of an upgrade', () => {
  const BOOKED = '20261130020000_booked_and_undated';

  async function database() {
    const url = await createTestDatabase();
    const client = new pg.Client(asOwner(url));
    onTestFinished(() => client.end());
    await client.connect();
    return { url, client };
  }

  it('has each table with the rows that there are', async () => {
    const { url, client } = await database();
    await client.query(`INSERT INTO organization (name, time_zone, updated_at) VALUES ('Large', 'America/Chicago', now())`);
    const { rows } = await client.query<{ id: number }>('SELECT id FROM organization');
    await createManyPatients(url, rows[0]?.id ?? 0, 2_000);
    const { work } = await planMigrations(client, ['20261130040000_audit_explanations']);
    expect(work.filter(({ table }) => table === 'patient')).toEqual([
      // Two indexes of it.
      ...[1, 2].map(() =>
        expect.objectContaining({
          migration: '20261130040000_audit_explanations',
          work: 'indexes',
          rows: 2_000,
          seconds: 0.004,
          roomBytes: 80_000,
        }),
      ),
    ]);
    expect(work.every(({ bytes }) => bytes > 0)).toBe(true);
  });

  it('tells the release, the time and the room, and refuses a disk that is too small', async () => {
    const { client } = await database();
    const plan = await planMigrations(client, [BOOKED, '20261130030000_webhook_claims']);
    const large = { ...plan, work: plan.work.map((step) => ({ ...step, rows: 1_000_000, bytes: 2e8, seconds: 25, roomBytes: 2e8 })) };
    const lines = planLines(large, 1e9);
    expect(lines[0]).toBe(`The database is before release 0.1.0, and lacks 2 migrations: ${BOOKED}, 20261130030000_webhook_claims.`);
    expect(lines).toContain(`${BOOKED} changes rows of appointment (1000000 rows, 200.0 MB): up to 25 s.`);
    expect(lines).toContain(
      `${BOOKED} builds an index of appointment (1000000 rows, 200.0 MB): up to 25 s, during which nobody may change it.`,
    );
    expect(lines.at(-1)).toMatch(/^About \d+ s at most, and \d\.\d GB of the disk for a while; 1\.0 GB are free\.$/);
    expect(planLines(large, null).at(-1)).toMatch(/see that the disk of the database has it\.$/);
    expect(isLong(large)).toBe(true);
    expect(isLong(plan)).toBe(false);
    expect(() => requireRoom(large, 1e12)).not.toThrow();
    expect(() => requireRoom(large, null)).not.toThrow();
    expect(() => requireRoom(large, 1e6)).toThrow(/^The migrations may need \d\.\d GB of the disk for a while, and 1\.0 MB are free\./);
  });

  it('names transactions that a migration will wait for', async () => {
    const { client, url } = await database();
    const holder = new pg.Client(url);
    onTestFinished(() => holder.end());
    await holder.connect();
    await holder.query('BEGIN; SELECT FROM appointment LIMIT 1');
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const plan = await planMigrations(client, [BOOKED]);
    expect(plan.holders).toEqual([rows[0]?.pid]);
    expect(planLines(plan, null)).toContain(
      `The transaction of process ${rows[0]?.pid} holds a table that a migration needs: it waits until that ends.`,
    );
  });

  it('can be asked for alone, and stands before what is done', async () => {
    const { client, url } = await database();
    await client.query(`DROP TABLE database_size; DELETE FROM _prisma_migrations WHERE migration_name = '20261130010000_database_size'`);
    const said: string[] = [];
    const notice = (sentence: string) => void said.push(sentence);
    expect(await migrateAsOwner(databaseUrls(url), { notice, planOnly: true })).toEqual(['20261130010000_database_size']);
    const told = [
      'The database is before release 0.1.0, and lacks 1 migration: 20261130010000_database_size.',
      'About 0 s at most, and 0 kB of the disk for a while; see that the disk of the database has it.',
    ];
    expect(said).toEqual(told);
    expect(await migrateAsOwner({ ...databaseUrls(url), disk: '/' }, { notice })).toEqual(['20261130010000_database_size']);
    expect(said.slice(2)).toEqual([told[0], expect.stringMatching(/ are free\.$/)]);
  });
});

describe('an earlier release', () => {
  it('is known by the newest of its migrations', async () => {
    const names = await migrationNames();
    for (const { version, newestMigration } of EARLIER_RELEASES) {
      expect(names).toContain(newestMigration);
      expect(version).not.toBe(VERSION);
      expect(releaseOf(['20991231000000_later', '20991231000001_latest'])).toBe(`of release ${EARLIER_RELEASES.at(-1)?.version} or later`);
    }
  });
});

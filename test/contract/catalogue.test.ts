import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DatabaseUrls } from '../../src/database/connections/runtime-role.ts';
import {
  MIGRATIONS_FOLDER,
  migrate,
  migrationNames,
  pendingMigrations,
  SCHEMA_SNAPSHOT,
} from '../../src/database/migrations/migrations.ts';
import { currentSchema } from '../../src/database/migrations/schema-engine.ts';
import { createTestDatabase } from '../support/app.ts';
import { asOwner, createEmptyDatabase, databaseUrls } from '../support/database-roles.ts';
import { catalogueFaults, rules } from './catalogue.ts';

let client: pg.Client;
beforeAll(async () => {
  client = await connect(asOwner(await createTestDatabase()));
});
afterAll(() => client.end());

async function connect(address: string): Promise<pg.Client> {
  const made = new pg.Client({ connectionString: address });
  await made.connect();
  return made;
}

describe('the tables', () => {
  it('hold every row of an organization inside it', async () => {
    expect(await catalogueFaults(client)).toEqual({});
  });

  it('are looked at by rules that find what breaks them', async () => {
    await client.query('BEGIN');
    await client.query(`
      CREATE TABLE stray (id int PRIMARY KEY, at timestamp, home int, patient int, FOREIGN KEY (home, patient) REFERENCES patient (organization_id, id));
      CREATE TABLE bad (id int PRIMARY KEY, organization_id bigint NOT NULL, patient_id int, code text UNIQUE, epoch boolean REFERENCES log_epoch (id),
                        EXCLUDE USING gist (organization_id WITH <>));
      ALTER TABLE patient ADD CONSTRAINT patient_id_alone UNIQUE (id);
      ALTER TABLE bad ADD FOREIGN KEY (patient_id) REFERENCES patient (id);
      ALTER TABLE bad ADD FOREIGN KEY (organization_id, patient_id) REFERENCES patient (organization_id, id) ON DELETE SET NULL ON UPDATE CASCADE;
      CREATE SEQUENCE bad_place_seq AS int CYCLE OWNED BY bad.organization_id;
      ALTER TABLE log_epoch RENAME TO elsewhere`);
    const faults = await catalogueFaults(client);
    await client.query('ROLLBACK');
    expect(Object.keys(faults).sort()).toEqual([...rules].sort());
    expect(faults).toMatchObject({
      'a table without organization_id is in the list of global ones': ['elsewhere', 'stray'],
      'the primary key starts with organization_id': ['bad'],
      'whatever is unique or exclusive is so within the organization': ['bad_code_key', 'bad_pkey', 'patient_id_alone'],
      'organization_id has one type, and no row is without': ['bad'],
      'what is exclusive is so among rows of the same organization': ['bad_organization_id_excl'],
      'a row of an organization refers to few global tables': ['bad (epoch)'],
      'a global table refers to no row of an organization': ['stray (home, patient)'],
      'no foreign key takes a row out of its organization': ['bad (organization_id, patient_id)'],
      'a foreign key between rows of organizations holds them in one': ['bad (patient_id)'],
      'no foreign key acts on an update of its key': ['bad (organization_id, patient_id)'],
      'an id is drawn from a sequence, which no other transaction waits for': ['bad'],
      'an id has 64 bits unless it is one of few': ['bad'],
      'a reference is as wide as the key': ['bad (organization_id, patient_id)'],
      'a sequence is as wide as its column and never starts over': ['bad_place_seq'],
      'a foreign key has an index': ['bad (epoch)', 'bad (organization_id, patient_id)', 'bad (patient_id)', 'stray (home, patient)'],
    });
  });
});

describe('the migrations', () => {
  it('lead to the committed schema', async () => {
    const reached = await readFile(SCHEMA_SNAPSHOT, 'utf8');
    expect(reached, 'prisma/schema has changed: npm run db:migration').toBe(await currentSchema());
  });

  it('are noted as `prisma migrate deploy` notes them', async () => {
    const { rows } = await client.query('SELECT * FROM _prisma_migrations ORDER BY migration_name');
    const expected = await Promise.all(
      (await migrationNames()).map(async (name) => ({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        migration_name: name,
        checksum: createHash('sha256')
          .update(await readFile(join(MIGRATIONS_FOLDER, name, 'migration.sql')))
          .digest('hex'),
        started_at: expect.any(Date),
        finished_at: expect.any(Date),
        rolled_back_at: null,
        logs: null,
        applied_steps_count: 1,
      })),
    );
    expect(rows).toEqual(expected);
  });

  it('are applied once, however often', async () => {
    const urls = databaseUrls(await createEmptyDatabase());
    expect(await migrate(urls)).toEqual(await migrationNames());
    expect(await migrate(urls)).toEqual([]);
  });

  it('are applied once by processes that start together', async () => {
    const urls = databaseUrls(await createEmptyDatabase());
    const applied = await Promise.all([migrateInProcess(urls), migrateInProcess(urls), migrateInProcess(urls)]);
    expect(applied.sort((a, b) => b.length - a.length)).toEqual([await migrationNames(), [], []]);
    const watcher = await connect(urls.url);
    expect(await pendingMigrations(watcher)).toEqual([]);
    expect(await catalogueFaults(watcher)).toEqual({});
    await watcher.end();
  });
});

async function migrateInProcess(urls: DatabaseUrls): Promise<string[]> {
  const script = `import { migrate } from ${JSON.stringify(join(import.meta.dirname, '..', '..', 'src', 'database', 'migrations', 'migrations.ts'))};
    process.stdout.write(JSON.stringify(await migrate(JSON.parse(process.argv[1]))), () => process.exit());`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, JSON.stringify(urls)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout));
}

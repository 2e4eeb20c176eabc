import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { DatabaseUrls } from '../../src/database/connections/runtime-role.ts';
import { writeQuantity } from '../../src/database/measures/quantities.ts';
import { migrateAsOwner, migrateOnStart } from '../../src/database/migrations/migrate-on-start.ts';
import { migrationNames } from '../../src/database/migrations/migrations.ts';
import { createTestDatabase } from '../support/app.ts';
import { asOwner, createEmptyDatabase, databaseUrls, runAsOwner, runWithoutTriggers } from '../support/database-roles.ts';
import { startOldDatabase } from '../support/old-database.ts';
import { isUpkeep } from '../support/upkeep.ts';

const run = promisify(execFile);

/** Starts on a database, and returns the warnings for the operator. */
async function start(urls: DatabaseUrls, migrate = true): Promise<string[]> {
  const warnings: string[] = [];
  await migrateOnStart(urls, { MIGRATE_ON_START: migrate }, { warn: (sentence) => void warnings.push(sentence) });
  return warnings;
}

/** One address for everything. */
const alone = (url: string) => ({ url, ownerUrl: url });

describe('a start', () => {
  it('with both addresses migrates as the owner, and the next one needs the runtime address alone', async () => {
    const url = await createEmptyDatabase();
    expect(await start(databaseUrls(url))).toEqual([]);
    expect(await start(alone(url))).toEqual([]);
    expect(await start(alone(url), false)).toEqual([]);
  });

  it('without the owner refuses a database that lacks migrations, and says what to run', async () => {
    const url = await createEmptyDatabase();
    await expect(start(alone(url))).rejects.toThrow(/^The role of DATABASE_URL may not migrate, .* Run "npm run db:migrate" first\.$/);
    await expect(start(databaseUrls(url), false)).rejects.toThrow(/^MIGRATE_ON_START is false, .* Run "npm run db:migrate" first\.$/);
  });

  it.runIf(isUpkeep)('without the owner refuses tables on which its role was granted nothing', async () => {
    const url = await createEmptyDatabase();
    await migrateAsOwner(alone(asOwner(url)));
    await expect(start(alone(url))).rejects.toThrow(/^DATABASE_URL: its role was not granted its privileges/);
    expect(await start(databaseUrls(url))).toEqual([]);
  });

  it.runIf(isUpkeep)('without the owner refuses logs that a restore has put out of order', async () => {
    const url = await createTestDatabase();
    await runAsOwner(url, `INSERT INTO organization (name, time_zone, updated_at) VALUES ('Restored', 'UTC', now())`);
    await runWithoutTriggers(
      url,
      `INSERT INTO audit_entry (organization_id, transaction_id, actor, action, resource, resource_ids, operation)
       SELECT id, 900000000000, 'test', 'read', 'patient', '{1}', 'test' FROM organization`,
    );
    await expect(start(alone(url))).rejects.toThrow(/its logs must be repaired/);
    await expect(start(databaseUrls(url), false)).rejects.toThrow(/its logs must be repaired/);
    expect(await start(databaseUrls(url))).toEqual([]);
    expect(await start(alone(url))).toEqual([]);
  });

  it.runIf(isUpkeep)('with one role for everything migrates, and warns that the role owns the tables', async () => {
    const ownerUrl = asOwner(await createEmptyDatabase());
    const warning = [expect.stringContaining('DATABASE_URL uses the owner of the tables')];
    expect(await start(alone(ownerUrl))).toEqual(warning);
    expect(await start(alone(ownerUrl), false)).toEqual(warning);
  });

  it.each(['14.19 (Debian 14.19-0+deb11u1)', '13.22'])('refuses PostgreSQL %s, before anything else is asked of it', async (version) => {
    const old = await startOldDatabase(version);
    const refusal = `DATABASE_URL: it points to PostgreSQL ${version.split(' ')[0]}, which is too old. Use version 15 or later.`;
    await expect(start(alone(old.url))).rejects.toThrow(refusal);
    await expect(start(alone(old.url), false)).rejects.toThrow(refusal);
    await expect(migrateAsOwner(alone(old.url))).rejects.toThrow(refusal);
    expect(new Set(old.asked)).toEqual(new Set(['SHOW server_version']));
    await old.close();
  });

  it('refuses a database that a newer release has migrated, and so does the command', async () => {
    const url = await createTestDatabase();
    await runAsOwner(
      url,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, started_at, applied_steps_count)
       VALUES ('x', '', '29990101000000_from_the_future', now(), now(), 1)`,
    );
    const refusal = /^A newer release migrated the database and applied 29990101000000_from_the_future\. Run that release/;
    await expect(start(databaseUrls(url))).rejects.toThrow(refusal);
    await expect(start(alone(url))).rejects.toThrow(refusal);
    await expect(start(alone(url), false)).rejects.toThrow(refusal);
    await expect(migrateAsOwner(databaseUrls(url))).rejects.toThrow(refusal);
  });

  it('names the folder of an embedded database that does not answer, and no variable that nobody set', async () => {
    const nowhere = (role: string) => `postgresql://${role}:secret@127.0.0.1:1/triptych`;
    for (const migrates of [true, false])
      await expect(start({ url: nowhere('triptych'), ownerUrl: nowhere('owner'), disk: '/data' }, migrates)).rejects.toThrow(
        /^DATA_DIR: the database cannot be reached/,
      );
  });

  it('refuses an owner who is none', async () => {
    const url = await createTestDatabase();
    const stranger = new URL(url);
    stranger.searchParams.set('application_name', 'another address of the same role');
    await expect(start({ url, ownerUrl: stranger.href })).rejects.toThrow(/^DATABASE_OWNER_URL: its role does not own the tables/);
  });
});

describe('npm run db:migrate', () => {
  it.runIf(isUpkeep)('applies each migration once', async () => {
    const urls = databaseUrls(await createEmptyDatabase());
    const env = { ...process.env, DATABASE_URL: urls.url };
    const names = await migrationNames();
    const plan = `The database lacks ${writeQuantity(names.length, 'migration')}: ${names.join(', ')}.\nNothing was changed.\n`;
    expect((await run(process.execPath, ['src/migrate.ts', '--plan'], { env })).stdout).toBe(plan);
    // As `npm run db:migrate --plan` starts it, without the two hyphens.
    expect((await run(process.execPath, ['src/migrate.ts'], { env: { ...env, npm_config_plan: 'true' } })).stdout).toBe(plan);
    expect(await migrateAsOwner(urls)).toEqual(await migrationNames());
    expect(await migrateAsOwner(urls)).toEqual([]);
    expect(await migrateAsOwner(alone(urls.url), { planOnly: true })).toEqual([]);
  });

  it('refuses a role that does not own the tables, and one that does not exist', async () => {
    const url = await createTestDatabase();
    await expect(migrateAsOwner(alone(url))).rejects.toThrow(/^DATABASE_URL: its role does not own the tables\. Set DATABASE_OWNER_URL/);
    const unknown = Object.assign(new URL(url), { username: 'nobody' }).href;
    await expect(migrateAsOwner({ url: unknown, ownerUrl: asOwner(url) })).rejects.toThrow(/has no role "nobody"/);
  });
});

import { readDatabaseConfig } from './config/config.ts';
import { attachDatabaseServer, type DatabaseServer } from './database/data-folder.ts';
import { migrateAsOwner } from './database/migrate-on-start.ts';
import { refuseForeignKeys } from './startup/open-keys.ts';

/** `npm run db:migrate`: applies the migrations that the database lacks, and grants the runtime role its privileges. */
async function main(): Promise<void> {
  const config = readDatabaseConfig(process.env);
  const databaseServer = await attachDatabaseServer(config);
  const applied = await migrateWith(config, databaseServer).finally(() => databaseServer.release());
  for (const name of applied) process.stdout.write(`applied ${name}\n`);
  if (applied.length === 0) process.stdout.write('The database has all migrations.\n');
}

async function migrateWith(config: ReturnType<typeof readDatabaseConfig>, databaseServer: DatabaseServer): Promise<string[]> {
  await refuseForeignKeys(databaseServer, config);
  return migrateAsOwner(databaseServer, (sentence) => process.stdout.write(`${sentence}\n`));
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`The migrations were not applied: ${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  },
);

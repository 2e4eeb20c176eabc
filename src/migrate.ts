import { readDatabaseConfig } from './config/config.ts';
import { attachDatabaseServer } from './database/data-folder.ts';
import { migrateAsOwner } from './database/migrate-on-start.ts';

/** `npm run db:migrate`: applies the migrations that the database lacks, and grants the runtime role its privileges. */
async function main(): Promise<void> {
  const databaseServer = await attachDatabaseServer(readDatabaseConfig(process.env));
  const applied = await migrateAsOwner(databaseServer, (sentence) => process.stdout.write(`${sentence}\n`)).finally(() =>
    databaseServer.release(),
  );
  for (const name of applied) process.stdout.write(`applied ${name}\n`);
  if (applied.length === 0) process.stdout.write('The database has all migrations.\n');
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`The migrations were not applied: ${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  },
);

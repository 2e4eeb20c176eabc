/** `npm run db:migrate`: applies the migrations that the database lacks, of DATABASE_URL or of the embedded one in DATA_DIR. */
import './prepare.mjs';

const { readConfig } = await import('../src/config/config.ts');
const { attachDatabaseServer } = await import('../src/database/data-folder.ts');
const { migrate } = await import('../src/database/migrations.ts');

try {
  const databaseServer = await attachDatabaseServer(readConfig(process.env));
  const applied = await migrate(databaseServer.url).finally(() => databaseServer.release());
  for (const name of applied) console.log(`applied ${name}`);
  if (applied.length === 0) console.log('The database has all migrations.');
  process.exit(0);
} catch (error) {
  console.error(`The migrations were not applied: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}

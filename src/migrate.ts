import { parseArgs } from 'node:util';
import { readDatabaseConfig } from './config/config.ts';
import { attachDatabaseServer, type DatabaseServer } from './database/data-folder.ts';
import { migrateAsOwner } from './database/migrate-on-start.ts';
import { refuseForeignKeys } from './startup/open-keys.ts';

/**
 * `npm run db:migrate`: tells what the migrations that the database lacks will do, applies them, and grants the runtime role its
 * privileges. `-- --plan` only tells; `-- --despite-disk` goes on where the disk may be too small.
 */
async function main(): Promise<void> {
  const { values: options } = parseArgs({ options: { plan: { type: 'boolean' }, 'despite-disk': { type: 'boolean' } } });
  const config = readDatabaseConfig(process.env);
  const databaseServer = await attachDatabaseServer(config);
  const wishes = { notice: say, planOnly: options.plan === true, despiteDisk: options['despite-disk'] === true };
  const applied = await migrateWith(config, databaseServer, wishes).finally(() => databaseServer.release());
  for (const name of applied) say(`applied ${name}`);
  if (wishes.planOnly) return say('Nothing was changed.');
  if (applied.length === 0) say('The database has all migrations.');
}

const say = (sentence: string): void => void process.stdout.write(`${sentence}\n`);

async function migrateWith(
  config: ReturnType<typeof readDatabaseConfig>,
  databaseServer: DatabaseServer,
  wishes: Parameters<typeof migrateAsOwner>[1],
): Promise<string[]> {
  await refuseForeignKeys(databaseServer, config);
  return migrateAsOwner(databaseServer, wishes);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`The migrations were not applied: ${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  },
);

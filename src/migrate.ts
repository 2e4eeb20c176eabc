import { Command, Option } from 'commander';
import { readDatabaseConfig } from './config/config.ts';
import { attachDatabaseServer, type DatabaseServer } from './database/data-folder.ts';
import { migrateAsOwner } from './database/migrations/migrate-on-start.ts';
import { refuseForeignKeys } from './startup/open-keys.ts';

const { plan: planOnly = false, copy: isCopy = false } = new Command('npm run db:migrate --')
  .description('Lists and applies pending migrations, and grants privileges to the role of DATABASE_URL.')
  // npm takes a flag that no `--` precedes for one of its own, and passes it on in the environment.
  .addOption(new Option('--plan', 'only list pending migrations').env('npm_config_plan'))
  .option('--copy', 'repair the logs of a database restored from a snapshot or to a point in time (docs/operations.md)')
  .allowExcessArguments(false)
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
  .opts<{ plan?: boolean; copy?: boolean }>();

async function main(): Promise<void> {
  const config = readDatabaseConfig(process.env);
  const databaseServer = await attachDatabaseServer(config);
  const wishes = { notice: say, planOnly, isCopy };
  const applied = await migrateWith(config, databaseServer, wishes).finally(() => databaseServer.release());
  if (planOnly) return say(applied.length === 0 ? 'No migration is pending.' : 'Nothing was changed.');
  for (const name of applied) say(`applied ${name}`);
  if (isCopy) say('The logs continue after every position that was handed out.');
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

import { Command, InvalidArgumentError, Option } from 'commander';
import { readDatabaseConfig } from './config/config.ts';
import { attachDatabaseServer } from './database/data-folder.ts';
import type { Step } from './database/distribution/step.ts';
import { writeQuantity } from './database/measures/quantities.ts';
import { distribute, SHARDS } from './database/migrations/distribute.ts';

const { dryRun = false, shards } = new Command('npm run db:distribute --')
  .description('Distributes all tables over a Citus cluster (docs/scaling.md) and prints each step. Can be repeated.')
  // npm takes a flag that no `--` precedes for one of its own, and passes it on in the environment.
  .addOption(new Option('--dry-run', 'only print the statements').env('npm_config_dry_run'))
  .option('--shards <number>', `number of shards, set on the first run (default: ${SHARDS})`, readShards)
  .allowExcessArguments(false)
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
  .opts<{ dryRun?: boolean; shards?: number }>();

async function main(): Promise<void> {
  const databaseServer = await attachDatabaseServer(readDatabaseConfig(process.env));
  const steps = await distribute(databaseServer, { dryRun, shards, report: tell }).finally(() => databaseServer.release());
  if (dryRun) for (const { sql } of steps) say(`${sql};`);
  else
    say(
      steps.length === 0
        ? 'All tables are distributed.'
        : `${writeQuantity(steps.length, 'step was', 'steps were')} made. All tables are distributed.`,
    );
}

function readShards(written: string): number {
  const shards = Number(written);
  if (Number.isInteger(shards) && shards > 0 && shards <= 1_024) return shards;
  throw new InvalidArgumentError('It must be a number from 1 to 1024.');
}

const say = (sentence: string): void => void process.stdout.write(`${sentence}\n`);

const tell = ({ title, rows }: Step, place: number, of: number): void =>
  say(`${place} of ${of}: ${title}${rows ? `, about ${Math.round(rows).toLocaleString('en-US')} rows` : ''}`);

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`The tables were not distributed: ${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  },
);

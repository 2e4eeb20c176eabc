import { parseArgs } from 'node:util';
import { readDatabaseConfig } from './config/config.ts';
import { attachDatabaseServer } from './database/data-folder.ts';
import { distribute } from './database/distribution/distribute.ts';
import type { Step } from './database/distribution/step.ts';

/** Parts of the rows of practices, unless `--shards` says otherwise: docs/scaling.md has the sizes. */
const SHARDS = 64;

/**
 * `npm run db:distribute`: gives every table its place in a cluster of Citus, and tells each step. `-- --dry-run` prints the statements
 * and runs none; `-- --shards 128` divides the rows into another number of parts, the first time.
 */
async function main(): Promise<void> {
  const { values: options } = parseArgs({ options: { 'dry-run': { type: 'boolean' }, shards: { type: 'string' } } });
  const dryRun = options['dry-run'] === true;
  const databaseServer = await attachDatabaseServer(readDatabaseConfig(process.env));
  const wishes = { dryRun, shards: readShards(options.shards), report: tell };
  const steps = await distribute(databaseServer, wishes).finally(() => databaseServer.release());
  if (dryRun) for (const { sql } of steps) say(`${sql};`);
  else say(steps.length === 0 ? 'Every table has its place.' : `${steps.length} steps were made. Every table has its place.`);
}

function readShards(written: string | undefined): number {
  const shards = Number(written ?? SHARDS);
  if (Number.isInteger(shards) && shards > 0 && shards <= 1_024) return shards;
  throw new Error('--shards takes a number from 1 to 1024.');
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

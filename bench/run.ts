/** `npm run bench`: this server beside a hand-written handler and its peers, on the same database. docs/performance.md says what is measured. */
import { mkdirSync } from 'node:fs';
import { compareServers } from './contest.ts';
import { openBenchDatabase } from './data/database.ts';
import { showGrowth } from './growth/growth.ts';
import { type Options, readOptions, UsageError } from './options.ts';
import { showPlans } from './plans.ts';
import { compareProcesses } from './processes/processes.ts';
import { soak } from './soak/soak.ts';

const tell = (line: string) => void process.stdout.write(`${line}\n`);

async function main(options: Options): Promise<void> {
  if (options.growth) return showGrowth(options, tell);
  if (options.processes) {
    if (!(await compareProcesses(options, tell))) process.exitCode = 1;
    return;
  }
  if (options.soak) {
    if (!(await soak(options, tell))) process.exitCode = 1;
    return;
  }
  const database = await openBenchDatabase(options, tell);
  try {
    if (options.plans) await showPlans(database.url, options.only, tell);
    else if (!options.dataOnly) await compareServers(database, options, tell);
  } finally {
    await database.stop();
  }
}

try {
  const options = readOptions(process.argv.slice(2));
  mkdirSync(options.folder, { recursive: true });
  await main(options);
} catch (error) {
  process.stderr.write(`${error instanceof UsageError ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}

/** `npm run bench`: compares this server with a hand-written handler and with its peers on one database. See docs/performance.md. */
import { mkdirSync } from 'node:fs';
import { showAuditGrowth } from './audit/audit.ts';
import { showBeside } from './beside/beside.ts';
import { compareServers } from './compare-servers.ts';
import { openBenchDatabase } from './data/database.ts';
import { showGrowth } from './growth/growth.ts';
import { type Options, readOptions, UsageError } from './options.ts';
import { showPlans } from './plans.ts';
import { showPressure } from './pressure/pressure.ts';
import { compareProcesses } from './processes/processes.ts';
import { measureSignals } from './signals/signals.ts';
import { soak } from './soak/soak.ts';

const print = (line: string) => void process.stdout.write(`${line}\n`);

async function main(options: Options): Promise<void> {
  if (options.audit) return showAuditGrowth(options, print);
  if (options.beside) return showBeside({ ...options, beside: options.beside }, print);
  if (options.signals) return measureSignals(options, print);
  if (options.pressure) return showPressure(options, print);
  if (options.growth) return showGrowth(options, print);
  if (options.processes) {
    if (!(await compareProcesses(options, print))) process.exitCode = 1;
    return;
  }
  if (options.soak) {
    if (!(await soak(options, print))) process.exitCode = 1;
    return;
  }
  const database = await openBenchDatabase(options, print);
  try {
    if (options.plans) await showPlans(database.url, options.only, print);
    else if (!options.dataOnly) await compareServers(database, options, print);
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

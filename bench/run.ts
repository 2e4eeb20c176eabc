/** `npm run bench`: this server beside a hand-written handler, on the same database. docs/performance.md says what is measured. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { floorKeys, makeCredentials, masterKeys, ourToken } from './access.ts';
import { compareAnswers } from './compare.ts';
import { type BenchDatabase, openBenchDatabase, samplePatients } from './data/database.ts';
import { watchDatabase } from './database-load.ts';
import { describeMachine } from './machine.ts';
import { type Contender, measure, type Result } from './measure.ts';
import { watchMemory } from './memory.ts';
import { type Options, readOptions, UsageError } from './options.ts';
import { showPlans } from './plans.ts';
import { type ServerUnderTest, startServer } from './process.ts';
import { lineOf, resultsText, writeResults } from './report.ts';
import { workloads } from './workloads/index.ts';
import type { Workload } from './workloads/workload.ts';

const tell = (line: string) => void process.stdout.write(`${line}\n`);

async function main(options: Options): Promise<void> {
  const database = await openBenchDatabase(options, tell);
  try {
    if (options.plans) await showPlans(database.url, options.only, tell);
    else if (!options.dataOnly) await compareServers(database, options);
  } finally {
    await database.stop();
  }
}

interface Servers {
  floor: ServerUnderTest;
  ours: ServerUnderTest;
  /** Both, with tokens of one who may ask for this. */
  contenders: (workload: Workload) => Promise<{ floor: Contender; ours: Contender }>;
}

async function compareServers(database: BenchDatabase, options: Options): Promise<void> {
  const [large] = database.plans;
  if (!large) throw new Error('there is no practice to ask about');
  const servers = await startServers(database, options);
  const load = await watchDatabase(database.url);
  try {
    const chosen = workloads(large, await samplePatients(database.url, large, 200), options.only);
    if (chosen.length === 0) throw new UsageError(`no workload has "${options.only}" in its name`);
    const watched = chosen.find(({ name }) => name === '5000-records');
    const results: Result[] = [];
    for (const workload of chosen) {
      const contenders = await servers.contenders(workload);
      tell(`${workload.name}: the same answers, ${await compareAnswers(workload, contenders.floor, contenders.ours)}`);
      if (options.compareOnly) continue;
      const result = await measure(workload, contenders, { ...options, database: load, tell });
      results.push(result);
      tell(lineOf(result));
    }
    if (options.compareOnly) return;
    const memory = watched && options.memoryRequests > 0 ? await memoryOf(watched, servers, options) : null;
    const machine = await describeMachine(database.url);
    const report = {
      options,
      machine,
      settings: database.settings,
      patients: large.patients,
      appointments: large.appointments,
      results,
      memory,
      servers,
    };
    tell(`\n${resultsText(report)}`);
    // A part of the workloads is for looking, and must not take the place of the whole table.
    if (options.only === null) tell(`written to ${await writeResults(report)}`);
    if (results.some(({ noisy }) => noisy)) process.exitCode = 3;
  } finally {
    await Promise.all([load.close(), servers.floor.stop(), servers.ours.stop()]);
  }
}

async function memoryOf(workload: Workload, servers: Servers, { memoryRequests }: Options) {
  const { floor, ours } = await servers.contenders(workload);
  tell(`memory: ${memoryRequests} requests of 5,000 records`);
  return { floor: await watchMemory(workload, floor, memoryRequests), ours: await watchMemory(workload, ours, memoryRequests) };
}

/** Any limit is out of the way; everything else is as in production. */
const LIMITS = { RATE_LIMIT: '1000000000', RATE_LIMIT_ANONYMOUS: '1000000000' };

async function startServers({ url, folder }: BenchDatabase, { profile }: Options): Promise<Servers> {
  const credentials = await makeCredentials(url);
  const keys = floorKeys();
  const profiles = profile === null ? null : { floor: join(profile, 'floor'), ours: join(profile, 'ours') };
  const floor = await startServer({
    entry: join(import.meta.dirname, 'floor', 'server.ts'),
    env: { DATABASE_URL: url, FLOOR_PUBLIC_KEY: keys.publicPem },
    logFile: join(folder, 'floor.log'),
    profile: profiles?.floor ?? null,
  });
  const ours = await startServer({
    entry: join(import.meta.dirname, '..', 'src', 'server.ts'),
    env: { DATABASE_URL: url, MASTER_KEYS: masterKeys(folder), PORT: '0', DATA_DIR: folder, ...LIMITS },
    logFile: join(folder, 'server.log'),
    profile: profiles?.ours ?? null,
  }).catch(async (error: unknown) => {
    await floor.stop();
    throw error;
  });
  return {
    floor,
    ours,
    contenders: async ({ asker }) => ({
      floor: { name: 'floor', address: floor.address, token: keys.token(), server: floor },
      ours: { name: 'ours', address: ours.address, token: await ourToken(ours.address, asker, credentials), server: ours },
    }),
  };
}

try {
  const options = readOptions(process.argv.slice(2));
  mkdirSync(options.folder, { recursive: true });
  await main(options);
} catch (error) {
  process.stderr.write(`${error instanceof UsageError ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}

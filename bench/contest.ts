import { compareAnswers } from './compare.ts';
import { type Contender, questionFor } from './contender.ts';
import { type BenchDatabase, samplePatients } from './data/database.ts';
import { watchDatabase } from './database-load.ts';
import { describeMachine } from './machine.ts';
import { measure, type Result } from './measure.ts';
import { type MemoryRow, watchMemory } from './memory.ts';
import { type Options, UsageError } from './options.ts';
import { comparePeer } from './peers/compare.ts';
import { teach } from './peers/index.ts';
import { lineOf, type Report, resultsText, writeResults } from './report.ts';
import { type Started, startServers, stopServers } from './servers.ts';
import { SAMPLE, workloads } from './workloads/index.ts';
import type { Workload } from './workloads/workload.ts';

type Tell = (line: string) => void;

/** The floor, ours and the peers, workload after workload; and then their memory. */
export async function compareServers(database: BenchDatabase, options: Options, tell: Tell): Promise<void> {
  const [large] = database.plans;
  if (!large) throw new Error('there is no practice to ask about');
  const all = workloads(large, await samplePatients(database.url, large, SAMPLE), null);
  const chosen = all.filter(({ name }) => options.only === null || name.includes(options.only));
  const first = all.find(({ name }) => name === 'one-patient');
  if (chosen.length === 0 || !first) throw new UsageError(`no workload has "${options.only}" in its name`);
  const started = await startServers(database, options, first, tell);
  const load = await watchDatabase(database.url);
  try {
    const results: Result[] = [];
    const compared = new Set<string>();
    for (const workload of chosen) {
      const { contenders, peerBytes } = await agreeing(workload, started, compared, { url: database.url, tell });
      if (options.compareOnly) continue;
      const result = await measure(workload, contenders, {
        ...options,
        attempts: options.quick ? 1 : 2,
        hasty: options.quick,
        database: load,
        tell,
      });
      refuseOtherSizes(result, peerBytes);
      results.push(result);
      tell(lineOf(result));
    }
    if (options.compareOnly) return;
    const watched = chosen.find(({ name }) => name === '5000-records');
    const memory =
      watched && options.memoryRequests > 0 ? await memoryOf(watched, started, options.memoryRequests, tell) : new Map<string, MemoryRow>();
    await tellResults(database, options, { results, memory, contenders: started }, tell);
  } finally {
    await load.close();
    await stopServers(started);
  }
}

interface Agreeing {
  /** Those that have a way to answer. */
  contenders: Contender[];
  /** Bytes of a peer's answers for one request, by its name; of a mix nothing is said. */
  peerBytes: ReadonlyMap<string, number>;
}

/**
 * Asks all of them the first questions of a workload, and goes on with those that have a way to answer.
 * @param compared names of the workloads whose answers are known to agree: a mix is made of them
 */
async function agreeing(
  workload: Workload,
  started: readonly Started[],
  compared: Set<string>,
  { url, tell }: { url: string; tell: Tell },
): Promise<Agreeing> {
  const all: Contender[] = [];
  for (const one of started) all.push(await one.contender());
  const [floor, ours, ...peers] = all;
  if (!floor || !ours) throw new Error('the floor and ours were not started');
  const contenders = [floor, ours];
  const peerBytes = new Map<string, number>();
  const parts = workload.parts ?? [workload];
  const unknown = parts.filter(({ name }) => !compared.has(name));
  for (const part of unknown) tell(`${part.name}: the same answers, ${await compareAnswers(part, floor, ours, url)}`);
  for (const [place, contender] of peers.entries()) {
    const peer = started[place + 2]?.peer;
    if (peer) await teach(peer, contender, workload);
    if (parts.some((part) => questionFor(contender, part, 0) === null)) {
      tell(`${workload.name}: ${contender.name} has no way to answer`);
      continue;
    }
    contenders.push(contender);
    for (const part of unknown) peerBytes.set(contender.name, await comparePeer(part, contender, floor, place));
  }
  for (const { name } of parts) compared.add(name);
  return { contenders, peerBytes: workload.parts ? new Map() : peerBytes };
}

/** What failed is answered with 200 by GraphQL, and is known by its size. */
function refuseOtherSizes({ workload, figures }: Result, peerBytes: ReadonlyMap<string, number>): void {
  for (const [name, bytes] of peerBytes) {
    const ratio = (figures.get(name)?.bytes ?? bytes) / bytes;
    if (Math.abs(ratio - 1) > 0.25)
      throw new Error(`${workload.name}: answers of ${name} were ${ratio.toFixed(2)} times as large as at first`);
  }
}

async function memoryOf(workload: Workload, started: readonly Started[], requests: number, tell: Tell): Promise<Map<string, MemoryRow>> {
  tell(`memory: ${requests} requests of 5,000 records`);
  const rows = new Map<string, MemoryRow>();
  for (const { name, contender } of started) rows.set(name, await watchMemory(workload, await contender(), requests));
  return rows;
}

type Seen = Pick<Report, 'results' | 'memory' | 'contenders'>;

async function tellResults(database: BenchDatabase, options: Options, seen: Seen, tell: Tell): Promise<void> {
  const [large] = database.plans;
  const machine = await describeMachine(database.url);
  const sizes = { patients: large?.patients ?? 0, appointments: large?.appointments ?? 0 };
  const report: Report = { options, machine, settings: database.settings, ...sizes, ...seen };
  tell(`\n${resultsText(report)}`);
  // A part of the workloads, or of the servers, is for looking, and must not take the place of the whole table.
  if (options.only === null && options.peers && !options.quick) tell(`written to ${await writeResults(report)}`);
  if (seen.results.some(({ noisy }) => noisy)) process.exitCode = 3;
}

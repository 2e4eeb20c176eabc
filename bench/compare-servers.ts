import { createKeyring } from '../src/database/encryption/keyring.ts';
import { compareAnswers } from './compare-responses.ts';
import { type Contender, requestFor } from './contender.ts';
import { readMasterKeys } from './credentials.ts';
import { type BenchDatabase, sampleAppointments, samplePatients } from './data/database.ts';
import type { PracticePlan } from './data/practices.ts';
import { TEXTING_ID } from './data/texting.ts';
import { watchDatabase } from './database-load.ts';
import { describeMachine } from './machine.ts';
import { countRequests, measure, type Result } from './measure.ts';
import { type MemoryRow, watchMemory } from './memory.ts';
import { type Options, UsageError } from './options.ts';
import { comparePeer } from './peers/compare-peer.ts';
import { prepareRequests } from './peers/index.ts';
import { hasFallen, writeRelease } from './release.ts';
import { type Report, resultsText, writeLine, writeResults } from './report.ts';
import { type Started, startServers, stopServers } from './servers.ts';
import { dayWorkloads, SAMPLE, workloads } from './workloads/index.ts';
import { TIMED_FROM, type Workload } from './workloads/workload.ts';

type Print = (line: string) => void;

async function everyWorkload({ url, folder, plans }: BenchDatabase, large: PracticePlan): Promise<Workload[]> {
  const texting = plans.find(({ organizationId }) => organizationId === TEXTING_ID);
  const patients = await samplePatients(url, large, SAMPLE);
  const appointments = await sampleAppointments(url, large, SAMPLE);
  const texted = texting ? await samplePatients(url, texting, SAMPLE) : [];
  return [
    ...workloads(large, patients, null),
    ...dayWorkloads({ patients, appointments, texted, keyring: createKeyring(readMasterKeys(folder)) }),
  ];
}

/** Measures the floor, our server and the peers, workload by workload, and then their memory. */
export async function compareServers(database: BenchDatabase, options: Options, print: Print): Promise<void> {
  const [large] = database.plans;
  if (!large) throw new Error('the database has no practice');
  const all = await everyWorkload(database, large);
  const chosen = all.filter(({ name }) => options.only === null || options.only.split(',').some((part) => name.includes(part)));
  const first = all.find(({ name }) => name === 'one-patient');
  if (chosen.length === 0 || !first) throw new UsageError(`no workload has "${options.only}" in its name`);
  const started = await startServers(database, options, first, print);
  const load = await watchDatabase(database.url);
  try {
    const measuring = { ...options, attempts: options.quick ? 1 : 2, hasty: options.quick, database: load, print };
    const results: Result[] = [];
    const compared = new Set<string>();
    for (const workload of chosen) {
      await workload.prepare?.(database.superuserUrl, options.compareOnly ? TIMED_FROM : countRequests(measuring));
      const { contenders, peerBytes } = await requireEqualResponses(workload, started, compared, { url: database.url, print });
      if (options.compareOnly) continue;
      const result = await measure(workload, contenders, measuring);
      refuseOtherSizes(result, peerBytes);
      results.push(result);
      print(writeLine(result));
    }
    if (options.compareOnly) return;
    if (options.release === 'write') return print(`written to ${await writeRelease(results)}`);
    if (options.release === 'compare') {
      if (await hasFallen(results, print)) process.exitCode = 3;
      return;
    }
    const watched = chosen.find(({ name }) => name === '5000-records');
    const memory =
      watched && options.memoryRequests > 0
        ? await measureMemory(watched, started, options.memoryRequests, print)
        : new Map<string, MemoryRow>();
    await printResults(database, options, { results, memory, contenders: started }, print);
  } finally {
    await load.close();
    await stopServers(started);
  }
}

interface EqualServers {
  /** The servers that can answer. */
  contenders: Contender[];
  /** Bytes of a peer's response to one request, by its name; absent for a mix. */
  peerBytes: ReadonlyMap<string, number>;
}

/**
 * Sends all servers the first requests of a workload and keeps those that can answer.
 * @param compared names of the workloads whose responses were compared before: a mix consists of them
 */
async function requireEqualResponses(
  workload: Workload,
  started: readonly Started[],
  compared: Set<string>,
  { url, print }: { url: string; print: Print },
): Promise<EqualServers> {
  const all: Contender[] = [];
  for (const one of started) all.push(await one.contender());
  const [floor, ours, ...peers] = all;
  if (!floor || !ours) throw new Error('the floor and ours were not started');
  const contenders = [floor, ours];
  const peerBytes = new Map<string, number>();
  const parts = workload.parts ?? [workload];
  const unknown = parts.filter(({ name }) => !compared.has(name));
  for (const part of unknown) print(`${part.name}: the same answers, ${await compareAnswers(part, floor, ours, url)}`);
  for (const [place, contender] of peers.entries()) {
    const peer = started[place + 2]?.peer;
    if (peer) await prepareRequests(peer, contender, workload);
    if (parts.some((part) => requestFor(contender, part, 0) === null)) {
      print(`${workload.name}: ${contender.name} has no way to answer`);
      continue;
    }
    contenders.push(contender);
    for (const part of unknown) peerBytes.set(contender.name, await comparePeer(part, contender, floor, place));
  }
  for (const { name } of parts) compared.add(name);
  return { contenders, peerBytes: workload.parts ? new Map() : peerBytes };
}

/** GraphQL responds with 200 to failures, which are recognized by their size. */
function refuseOtherSizes({ workload, figures }: Result, peerBytes: ReadonlyMap<string, number>): void {
  for (const [name, bytes] of peerBytes) {
    const ratio = (figures.get(name)?.bytes ?? bytes) / bytes;
    if (Math.abs(ratio - 1) > 0.25)
      throw new Error(`${workload.name}: answers of ${name} were ${ratio.toFixed(2)} times as large as at first`);
  }
}

async function measureMemory(
  workload: Workload,
  started: readonly Started[],
  requests: number,
  print: Print,
): Promise<Map<string, MemoryRow>> {
  print(`memory: ${requests} requests of 5,000 records`);
  const rows = new Map<string, MemoryRow>();
  for (const { name, contender } of started) rows.set(name, await watchMemory(workload, await contender(), requests));
  return rows;
}

type Turn = Pick<Report, 'results' | 'memory' | 'contenders'>;

async function printResults(database: BenchDatabase, options: Options, seen: Turn, print: Print): Promise<void> {
  const [large] = database.plans;
  const machine = await describeMachine(database.url);
  const sizes = { patients: large?.patients ?? 0, appointments: large?.appointments ?? 0 };
  const report: Report = { options, machine, settings: database.settings, ...sizes, ...seen };
  print(`\n${resultsText(report)}`);
  // A part of the workloads, or of the servers, is for looking, and must not take the place of the whole table.
  if (options.only === null && options.peers && !options.quick) print(`written to ${await writeResults(report)}`);
  if (seen.results.some(({ noisy }) => noisy)) process.exitCode = 3;
}

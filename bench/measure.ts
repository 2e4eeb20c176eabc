import { setTimeout as sleep } from 'node:timers/promises';
import { type Contender, requireRequest } from './contender.ts';
import type { DatabaseLoad } from './database-load.ts';
import { type Load, load } from './load.ts';
import type { Usage } from './process.ts';
import { percent, quantile, spread } from './statistics.ts';
import { TIMED_FROM, type Workload } from './workloads/workload.ts';

/** The measurements of one server in one workload. */
export interface Figures {
  /** Answers a second, in each repetition. */
  rates: number[];
  p50: number;
  p99: number;
  /** Milliseconds of processor time of the server process for one request, with what it does for it afterwards. */
  cpuMs: number;
  /** The same of PostgreSQL; null if the system does not report it. */
  databaseCpuMs: number | null;
  /** Both together, in each repetition; of the server alone where the system does not report the other. */
  costs: number[];
  /** Bytes. */
  rss: number;
  /** Bytes of all bodies, for one request. */
  bytes: number;
}

export interface Result {
  workload: Workload;
  /** By name of the server, the floor first; servers that cannot answer are left out. */
  figures: ReadonlyMap<string, Figures>;
  /** The floor itself was too unsteady for a ratio to mean anything. */
  noisy: boolean;
}

export interface MeasureOptions {
  seconds: number;
  repetitions: number;
  /** The number of attempts to get a run without noise. */
  attempts: number;
  /** Skips waiting for deferred work, for quick runs. */
  hasty?: boolean;
  database: DatabaseLoad;
  print: (line: string) => void;
}

/** At least: until then, much of a server's code has not been compiled for speed. */
const WARM_UP_SECONDS = 3;

/** A floor that spreads by more than this says that the machine does something else too. */
export const NOISY = 0.15;

/**
 * Measures the servers alternately, each after a warm-up. A noisy run is repeated once.
 * @param contenders of whom the first is the floor
 */
export async function measure(workload: Workload, contenders: readonly Contender[], options: MeasureOptions): Promise<Result> {
  const numbers = { next: TIMED_FROM, last: countRequests(options) };
  const warmUp = warmUpSeconds(options);
  for (const contender of contenders) await drive(workload, contender, numbers, { ...options, seconds: warmUp });
  let result: Result | null = null;
  for (let attempt = 1; attempt <= options.attempts; attempt += 1) {
    const loads = new Map<string, Measured[]>(contenders.map(({ name }) => [name, []]));
    for (let repetition = 0; repetition < options.repetitions; repetition += 1) {
      for (const contender of inTurn(contenders, repetition))
        loads.get(contender.name)?.push(await drive(workload, contender, numbers, options));
    }
    const figures = new Map([...loads].map(([name, measured]) => [name, toFigures(measured)]));
    const [[, floor] = []] = figures;
    if (!floor) throw new Error('nothing was measured');
    result = { workload, figures, noisy: spread(floor.rates) > NOISY };
    if (!result.noisy) return result;
    options.print(`${workload.name}: thrown away, the floor spreads by ${percent(spread(floor.rates))}`);
  }
  if (result === null) throw new Error('nothing was measured');
  return result;
}

const warmUpSeconds = ({ seconds, hasty }: Pick<MeasureOptions, 'seconds' | 'hasty'>) =>
  hasty ? seconds : Math.max(WARM_UP_SECONDS, seconds);

/** More than the floor and ours answer of a workload that uses up rows. */
const MOST_A_SECOND = 2_500;

/** The number up to which the requests of a workload go, at most. */
export function countRequests(options: Omit<MeasureOptions, 'database' | 'print'>): number {
  const seconds = warmUpSeconds(options) + options.seconds * options.repetitions * options.attempts;
  return TIMED_FROM + Math.ceil(2 * seconds * MOST_A_SECOND);
}

/** The order of the servers changes with each repetition, so that after-effects of one do not always hit the same other. */
function inTurn(contenders: readonly Contender[], repetition: number): Contender[] {
  const from = repetition % contenders.length;
  const turned = [...contenders.slice(from), ...contenders.slice(0, from)];
  return repetition % 2 === 0 ? turned : turned.reverse();
}

interface Measured {
  load: Load;
  cpuMs: number;
  databaseCpuMs: number | null;
  rss: number;
}

async function drive(
  workload: Workload,
  contender: Contender,
  /** The number of the next request, since writes never repeat, and that up to which there are rows for them. */
  numbers: { next: number; last: number },
  { seconds, database, hasty = false }: MeasureOptions,
): Promise<Measured> {
  const { address, tokens, server } = contender;
  const [before, databaseBefore] = [await server.usage(), await database.cpuMs()];
  const seen = await load({
    address,
    tokens,
    send: requireRequest(contender, workload),
    first: numbers.next,
    connections: workload.connections,
    until: { ms: seconds * 1000 },
  });
  numbers.next = seen.next;
  if (workload.prepare && seen.next > numbers.last) throw new Error(`${workload.name}: the rows for its requests are used up`);
  // A process of PostgreSQL that ends while its server rests is seen before it goes.
  await database.cpuMs();
  const after = hasty ? await server.usage() : await usageAtRest(contender);
  const databaseAfter = await database.cpuMs();
  return {
    load: seen,
    cpuMs: after.cpuMs - before.cpuMs,
    databaseCpuMs: databaseBefore === null || databaseAfter === null ? null : databaseAfter - databaseBefore,
    rss: after.rss,
  };
}

const LOOK_EVERY_MS = 200;
const REST_WITHIN_MS = 15_000;

/**
 * Deferred work (our server seals the audit rows of the last seconds) belongs to the load and must be done before
 * the next is measured.
 */
async function usageAtRest({ server, settled }: Contender): Promise<Usage> {
  const end = performance.now() + REST_WITHIN_MS;
  while (settled && performance.now() < end && !(await settled())) await sleep(LOOK_EVERY_MS);
  let last = await server.usage();
  for (let quiet = false; !quiet && performance.now() < end; ) {
    await sleep(LOOK_EVERY_MS);
    const now = await server.usage();
    quiet = now.cpuMs - last.cpuMs < LOOK_EVERY_MS / 20;
    last = now;
  }
  return last;
}

function toFigures(measured: readonly Measured[]): Figures {
  const times = measured.flatMap(({ load: { times: each } }) => each);
  const requests = measured.reduce((sum, one) => sum + one.load.requests, 0);
  return {
    rates: measured.map(({ load: one }) => (one.requests / one.elapsedMs) * 1000),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    cpuMs: measured.reduce((sum, one) => sum + one.cpuMs, 0) / requests,
    databaseCpuMs: perRequest(measured, requests),
    costs: measured.map(({ cpuMs, databaseCpuMs, load: one }) => (cpuMs + (databaseCpuMs ?? 0)) / one.requests),
    rss: Math.max(...measured.map(({ rss }) => rss)),
    bytes: measured.reduce((sum, one) => sum + one.load.bytes, 0) / requests,
  };
}

function perRequest(measured: readonly Measured[], requests: number): number | null {
  const known = measured.flatMap(({ databaseCpuMs }) => databaseCpuMs ?? []);
  return known.length < measured.length ? null : known.reduce((sum, ms) => sum + ms, 0) / requests;
}

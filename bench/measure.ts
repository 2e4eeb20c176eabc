import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from './compare.ts';
import type { DatabaseLoad } from './database-load.ts';
import { type Load, load } from './load.ts';
import type { ServerUnderTest, Usage } from './process.ts';
import { median, quantile, spread } from './statistics.ts';
import type { Workload } from './workloads/workload.ts';

export interface Contender extends Target {
  server: ServerUnderTest;
}

/** What one server has shown in one workload. */
export interface Figures {
  /** Answers a second, in each repetition. */
  rates: number[];
  p50: number;
  p99: number;
  /** Milliseconds of processor time of the server process for one request, with what it does for it afterwards. */
  cpuMs: number;
  /** The same of PostgreSQL; null where the system does not tell. */
  databaseCpuMs: number | null;
  /** Bytes. */
  rss: number;
  /** Bytes of all bodies, for one request. */
  bytes: number;
}

export interface Result {
  workload: Workload;
  floor: Figures;
  ours: Figures;
  /** Of the medians. */
  ratio: number;
  /** The floor's processor time by ours, server and database together: hardly moved by what else the machine does. */
  cpuRatio: number;
  /** The floor itself was too unsteady for the ratio to mean anything. */
  noisy: boolean;
}

export interface MeasureOptions {
  seconds: number;
  repetitions: number;
  database: DatabaseLoad;
  tell: (line: string) => void;
}

/** A floor that spreads by more than this says that the machine does something else too. */
export const NOISY = 0.15;
const ATTEMPTS = 2;

/** Floor, ours, floor, ours …, each after a warm-up. A noisy run is thrown away and taken once more. */
export async function measure(
  workload: Workload,
  contenders: { floor: Contender; ours: Contender },
  options: MeasureOptions,
): Promise<Result> {
  for (const contender of [contenders.floor, contenders.ours])
    await drive(workload, contender, { ...options, seconds: Math.min(2, options.seconds) });
  let result: Result | null = null;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const loads: Record<'floor' | 'ours', Measured[]> = { floor: [], ours: [] };
    for (let repetition = 0; repetition < options.repetitions; repetition += 1) {
      // Who comes first changes, so that what one leaves behind is not always the other's burden.
      const order = repetition % 2 === 0 ? (['floor', 'ours'] as const) : (['ours', 'floor'] as const);
      for (const name of order) loads[name].push(await drive(workload, contenders[name], options));
    }
    result = judge(workload, figures(loads.floor), figures(loads.ours));
    if (!result.noisy) return result;
    options.tell(`${workload.name}: thrown away, the floor spreads by ${percent(spread(result.floor.rates))}`);
  }
  if (result === null) throw new Error('nothing was measured');
  return result;
}

export const percent = (share: number) => `${Math.round(share * 100)} %`;

interface Measured {
  load: Load;
  cpuMs: number;
  databaseCpuMs: number | null;
  rss: number;
}

async function drive(
  { paths, connections }: Workload,
  { address, token, server }: Contender,
  { seconds, database }: MeasureOptions,
): Promise<Measured> {
  const [before, databaseBefore] = [await server.usage(), await database.cpuMs()];
  const seen = await load({ address, token, paths, connections, until: { ms: seconds * 1000 } });
  // A process of PostgreSQL that ends while its server rests is seen before it goes.
  await database.cpuMs();
  const after = await usageAtRest(server);
  const databaseAfter = await database.cpuMs();
  return {
    load: seen,
    cpuMs: after.cpuMs - before.cpuMs,
    databaseCpuMs: databaseBefore === null || databaseAfter === null ? null : databaseAfter - databaseBefore,
    rss: after.rss,
  };
}

const LOOK_EVERY_MS = 500;
const REST_WITHIN_MS = 15_000;

/**
 * What a server puts off (ours seals the audit rows of the last seconds) is a part of the work, and must be over before
 * the other is measured.
 */
async function usageAtRest(server: ServerUnderTest): Promise<Usage> {
  let last = await server.usage();
  for (let waited = 0, quiet = 0; waited < REST_WITHIN_MS && quiet < QUIET_LOOKS; waited += LOOK_EVERY_MS) {
    await sleep(LOOK_EVERY_MS);
    const now = await server.usage();
    quiet = now.cpuMs - last.cpuMs < LOOK_EVERY_MS / 20 ? quiet + 1 : 0;
    last = now;
  }
  return last;
}
/** It begins to seal every three seconds. */
const QUIET_LOOKS = 7;

function figures(measured: readonly Measured[]): Figures {
  const times = measured.flatMap(({ load: { times: each } }) => each);
  const requests = measured.reduce((sum, one) => sum + one.load.requests, 0);
  return {
    rates: measured.map(({ load: one }) => (one.requests / one.elapsedMs) * 1000),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    cpuMs: measured.reduce((sum, one) => sum + one.cpuMs, 0) / requests,
    databaseCpuMs: perRequest(measured, requests),
    rss: Math.max(...measured.map(({ rss }) => rss)),
    bytes: measured.reduce((sum, one) => sum + one.load.bytes, 0) / requests,
  };
}

function perRequest(measured: readonly Measured[], requests: number): number | null {
  const known = measured.flatMap(({ databaseCpuMs }) => databaseCpuMs ?? []);
  return known.length < measured.length ? null : known.reduce((sum, ms) => sum + ms, 0) / requests;
}

function judge(workload: Workload, floor: Figures, ours: Figures): Result {
  return {
    workload,
    floor,
    ours,
    ratio: median(ours.rates) / median(floor.rates),
    cpuRatio: (floor.cpuMs + (floor.databaseCpuMs ?? 0)) / (ours.cpuMs + (ours.databaseCpuMs ?? 0)),
    noisy: spread(floor.rates) > NOISY,
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { requireRequest } from '../contender.ts';
import { openBenchDatabase, samplePatients } from '../data/database.ts';
import { load } from '../load.ts';
import { describeMachine } from '../machine.ts';
import type { Options } from '../options.ts';
import { type Ours, startOurs } from '../triptych.ts';
import { warm } from '../warm-up.ts';
import { SAMPLE, workloads } from '../workloads/index.ts';
import { TIMED_FROM, type Workload } from '../workloads/workload.ts';
import { soakText, writeSoak } from './report.ts';
import { type Sample, trends } from './trends.ts';

type Soaking = Pick<Options, 'quick' | 'folder' | 'minutes'>;
type Print = (line: string) => void;

const SLICE_S = 15;
/** Few enough not to saturate the machine: a backlog under overload is no leak. */
const CONNECTIONS = 4;
/** A user's token lasts fifteen minutes. */
const TOKENS_FOR = 20;

/**
 * Runs the mix for some minutes and samples the server's resources every quarter of a minute.
 * @returns whether memory, connections and handles stayed level
 */
export async function soak(options: Soaking, print: Print): Promise<boolean> {
  const database = await openBenchDatabase(options, print);
  try {
    const [large] = database.plans;
    if (!large) throw new Error('the database has no practice');
    const [mix] = workloads(large, await samplePatients(database.url, large, SAMPLE), 'mix');
    if (!mix) throw new Error('there is no mix');
    const ours = await startOurs(database);
    try {
      const samples = await watch(mix, ours, database.url, options.minutes, print);
      const found = trends(samples, options.minutes);
      const text = soakText({
        samples,
        found,
        machine: await describeMachine(database.url),
        minutes: options.minutes,
        connections: CONNECTIONS,
      });
      print(`\n${text}`);
      // Only runs of ten minutes or more are written to a file.
      if (options.minutes >= 10) print(`written to ${await writeSoak(text)}`);
      return found.level;
    } finally {
      await ours.server.stop();
    }
  } finally {
    await database.stop();
  }
}

async function watch(mix: Workload, ours: Ours, url: string, minutes: number, print: Print): Promise<Sample[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const samples: Sample[] = [];
    await warm(await ours.contender(), mix, 500);
    const start = performance.now();
    let first = TIMED_FROM;
    let contender = await ours.contender();
    for (let slice = 0; slice * SLICE_S < minutes * 60; slice += 1) {
      if (slice % TOKENS_FOR === TOKENS_FOR - 1) contender = await ours.contender();
      const { address, tokens } = contender;
      const seen = await load({
        address,
        tokens,
        send: requireRequest(contender, mix),
        first,
        connections: CONNECTIONS,
        until: { ms: SLICE_S * 1000 },
      });
      first = seen.next;
      const look = await takeSample(ours, client, { minute: (performance.now() - start) / 60_000, requests: seen.requests });
      samples.push(look);
      print(writeLine(look));
    }
    return samples;
  } finally {
    await client.end();
  }
}

/** Measures the idle server: the sockets of the last load are closed by then. */
async function takeSample({ server }: Ours, client: pg.Client, around: Pick<Sample, 'minute' | 'requests'>): Promise<Sample> {
  await sleep(500);
  const { heapUsed, rss, handles } = await server.usage({ collect: true });
  const { rows } = await client.query<{ open: number }>(
    `SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name LIKE 'triptych%' AND pid <> pg_backend_pid()`,
  );
  return { ...around, heap: heapUsed, rss, handles, connections: rows[0]?.open ?? 0 };
}

const writeLine = ({ minute, requests, heap, rss, handles, connections }: Sample) =>
  `${minute.toFixed(2)} min: ${requests} requests, heap ${(heap / 2 ** 20).toFixed(2)} MiB, resident ${(rss / 2 ** 20).toFixed(0)} MiB, ${connections} connections, ${handles ?? '?'} handles`;

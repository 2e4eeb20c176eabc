import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { mustAsk } from '../contender.ts';
import { openBenchDatabase, samplePatients } from '../data/database.ts';
import { load } from '../load.ts';
import { describeMachine } from '../machine.ts';
import type { Options } from '../options.ts';
import { type Ours, startOurs } from '../ours.ts';
import { warm } from '../warm.ts';
import { SAMPLE, workloads } from '../workloads/index.ts';
import { TIMED_FROM, type Workload } from '../workloads/workload.ts';
import { soakText, writeSoak } from './text.ts';
import { type Look, trends } from './trends.ts';

type Soaking = Pick<Options, 'quick' | 'folder' | 'minutes'>;
type Tell = (line: string) => void;

const SLICE_S = 15;
/** Few enough that the machine is not full: what piles up under a load that cannot be served says nothing of leaks. */
const CONNECTIONS = 4;
/** A user's token lasts fifteen minutes. */
const TOKENS_FOR = 20;

/**
 * The mix for some minutes, and what the server holds after each quarter of one.
 * @returns whether memory, connections and handles stayed level
 */
export async function soak(options: Soaking, tell: Tell): Promise<boolean> {
  const database = await openBenchDatabase(options, tell);
  try {
    const [large] = database.plans;
    if (!large) throw new Error('there is no practice to ask about');
    const [mix] = workloads(large, await samplePatients(database.url, large, SAMPLE), 'mix');
    if (!mix) throw new Error('there is no mix');
    const ours = await startOurs(database);
    try {
      const looks = await watch(mix, ours, database.url, options.minutes, tell);
      const found = trends(looks, options.minutes);
      const text = soakText({
        looks,
        found,
        machine: await describeMachine(database.url),
        minutes: options.minutes,
        connections: CONNECTIONS,
      });
      tell(`\n${text}`);
      // Less than ten minutes are for looking.
      if (options.minutes >= 10) tell(`written to ${await writeSoak(text)}`);
      return found.level;
    } finally {
      await ours.server.stop();
    }
  } finally {
    await database.stop();
  }
}

async function watch(mix: Workload, ours: Ours, url: string, minutes: number, tell: Tell): Promise<Look[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const looks: Look[] = [];
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
        ask: mustAsk(contender, mix),
        first,
        connections: CONNECTIONS,
        until: { ms: SLICE_S * 1000 },
      });
      first = seen.next;
      const look = await lookAt(ours, client, { minute: (performance.now() - start) / 60_000, requests: seen.requests });
      looks.push(look);
      tell(lineOf(look));
    }
    return looks;
  } finally {
    await client.end();
  }
}

/** What the server holds when nobody asks: the sockets of the last load are closed by then. */
async function lookAt({ server }: Ours, client: pg.Client, around: Pick<Look, 'minute' | 'requests'>): Promise<Look> {
  await sleep(500);
  const { heapUsed, rss, handles } = await server.usage({ collect: true });
  const { rows } = await client.query<{ open: number }>(
    `SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name LIKE 'triptych%' AND pid <> pg_backend_pid()`,
  );
  return { ...around, heap: heapUsed, rss, handles, connections: rows[0]?.open ?? 0 };
}

const lineOf = ({ minute, requests, heap, rss, handles, connections }: Look) =>
  `${minute.toFixed(2)} min: ${requests} requests, heap ${(heap / 2 ** 20).toFixed(2)} MiB, resident ${(rss / 2 ** 20).toFixed(0)} MiB, ${connections} connections, ${handles ?? '?'} handles`;

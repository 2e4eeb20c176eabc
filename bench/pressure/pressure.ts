import { openDatabase } from '../../src/database/database.ts';
import { createClient } from '../../src/domain/identity/clients/clients.ts';
import { clientToken } from '../credentials.ts';
import { openBenchDatabase, samplePatients } from '../data/database.ts';
import type { PracticePlan } from '../data/practices.ts';
import { type Load, load } from '../load.ts';
import { describeMachine } from '../machine.ts';
import type { Options } from '../options.ts';
import { percent, quantile } from '../statistics.ts';
import { startOurs } from '../triptych.ts';
import type { BenchRequest } from '../workloads/workload.ts';

type Print = (line: string) => void;

/** Connections of each of the ten practices. */
const CLIENTS = 50;
/** Milliseconds that one of them thinks between an answer and its next request, and in the burst. */
const THINK_MS = 5_000;
const BURST_THINK_MS = THINK_MS / 10;
/** Connections of the practice that hammers. */
const HAMMERS = 100;
/** Clients of the practice that idles, each with as many streams as one may have. */
const FOLLOWERS = 30;
const STREAMS = 5;
const PATIENTS = 200;

/** Somebody of one practice, and what they read. */
interface Reader {
  token: string;
  requests: readonly BenchRequest[];
}

/** How long readers wait, and a practice beside one that takes more than its part. */
export async function showPressure(options: Pick<Options, 'folder' | 'quick' | 'seconds'>, print: Print): Promise<void> {
  const database = await openBenchDatabase(options, print);
  try {
    const ours = await startOurs(database);
    try {
      const { address } = ours.server;
      const readers = await createReaders(database.url, address, database.plans);
      const run = { address, ms: options.seconds * 1000 };
      print(`- ${(await describeMachine(database.url)).join('\n- ')}\n`);
      await readAll(run, readers, BURST_THINK_MS, Math.min(run.ms, 5_000));
      await showBurst(run, readers, print);
      await showNeighbours(run, readers, await createFollowers(database.url, address), print);
    } finally {
      await ours.server.stop();
    }
  } finally {
    await database.stop();
  }
}

interface Run {
  address: string;
  /** Of one phase. */
  ms: number;
}

const read = ({ address }: Run, { token, requests }: Reader, more: { thinkMs?: number; ms: number; connections: number }): Promise<Load> =>
  load({
    address,
    tokens: { client: token, integration: token, user: token, colleague: token },
    send: (n) => requests[Math.imul(n, 7_919) % requests.length] ?? { method: 'GET', path: '/healthz', client: 'integration' },
    first: 0,
    connections: more.connections,
    until: { ms: more.ms },
    ...(more.thinkMs === undefined ? {} : { thinkMs: more.thinkMs }),
  });

async function readAll(run: Run, readers: readonly Reader[], thinkMs: number, ms = run.ms) {
  const loads = await Promise.all(readers.map((reader) => read(run, reader, { thinkMs, ms, connections: CLIENTS })));
  return { times: loads.flatMap(({ times }) => times), refused: loads.flatMap(({ refused }) => refused) };
}

/** 500 clients, the same ten times as eager, and the same again. */
async function showBurst(run: Run, readers: readonly Reader[], print: Print): Promise<void> {
  print('| 500 clients | requests a second | p50 | p99 | 503 with Retry-After | p99 of those |\n|---|---|---|---|---|---|');
  for (const [phase, thinkMs] of [
    ['before', THINK_MS],
    ['in the burst', BURST_THINK_MS],
    ['after', THINK_MS],
  ] as const) {
    const { times, refused } = await readAll(run, readers, thinkMs);
    const all = times.length + refused.length;
    const late = refused.length > 0 ? milliseconds(quantile(refused, 0.99)) : '–';
    print(
      `| ${phase} | ${((all / run.ms) * 1000).toFixed(0)} | ${milliseconds(quantile(times, 0.5))} | ${milliseconds(quantile(times, 0.99))} | ${percent(refused.length / all)} | ${late} |`,
    );
  }
}

/** One practice beside a quiet one, and beside one that takes more than its part. */
async function showNeighbours(run: Run, readers: readonly Reader[], followers: readonly string[], print: Print): Promise<void> {
  const [greedy, ...others] = readers;
  const [quiet] = others;
  if (!greedy || !quiet) throw new Error('there is one practice alone');
  const measure = async () => (await read(run, quiet, { thinkMs: 100, ms: run.ms, connections: 10 })).times;
  print('\n| Beside a practice that | p50 | p99 | p99 against quiet |\n|---|---|---|---|');
  let usual: number | undefined;
  const printRow = (name: string, times: readonly number[]) => {
    const p99 = quantile(times, 0.99);
    usual ??= p99;
    print(`| ${name} | ${milliseconds(quantile(times, 0.5))} | ${milliseconds(p99)} | ${(p99 / usual).toFixed(2)} |`);
  };
  printRow('rests', await measure());
  const [, hammered] = await Promise.all([read(run, greedy, { thinkMs: 1, ms: run.ms, connections: HAMMERS }), measure()]);
  printRow(`hammers on ${HAMMERS} connections`, hammered);
  const streams = await openStreams(run.address, followers);
  printRow(`idles on ${streams.open} event streams (of ${followers.length * STREAMS} that it asked for)`, await measure());
  await streams.close();
  const log: BenchRequest = { method: 'GET', path: '/platform/v1/events?limit=500', client: 'integration' };
  const [, replayed] = await Promise.all([
    read(run, { token: followers[0] ?? '', requests: [log] }, { thinkMs: 1, ms: run.ms, connections: STREAMS }),
    measure(),
  ]);
  printRow(`reads its log again and again on ${STREAMS} connections`, replayed);
}

const milliseconds = (ms: number): string => `${ms.toFixed(0)} ms`;

/** One client for each practice, which reads its charts and lists. */
async function createReaders(url: string, address: string, plans: readonly PracticePlan[]): Promise<Reader[]> {
  const readers: Reader[] = [];
  for (const plan of plans) {
    const { organizationId } = plan;
    const token = await newToken(url, address, organizationId, ['integration.read']);
    const patients = (await samplePatients(url, plan, PATIENTS)).filter((id) => id !== null);
    const paths = patients.flatMap((id, index) => [
      `/api/patients/${id}`,
      `/api/appointments/types?limit=20&page=${1 + (index % 2)}`,
      `/api/patients/${id}`,
    ]);
    readers.push({ token, requests: paths.map((path) => ({ method: 'GET', path, client: 'integration' })) });
  }
  return readers;
}

/** Tokens of clients of the first practice that follow its log. */
const createFollowers = (url: string, address: string): Promise<string[]> =>
  Promise.all(Array.from({ length: FOLLOWERS }, () => newToken(url, address, 1, ['events.read'])));

async function newToken(url: string, address: string, organizationId: number, scopes: string[]): Promise<string> {
  const { prisma, close } = openDatabase({ url, poolSize: 1 });
  try {
    return await clientToken(address, await createClient(prisma, { name: 'Pressure', scopes, organizationIds: [organizationId] }));
  } finally {
    await close();
  }
}

/** As many streams as the server lets a practice have. */
async function openStreams(address: string, tokens: readonly string[]): Promise<{ open: number; close(): Promise<void> }> {
  const stopping = new AbortController();
  const answers = await Promise.all(
    tokens.flatMap((token) =>
      Array.from({ length: STREAMS }, () =>
        fetch(`${address}/platform/v1/events/stream`, { headers: { authorization: `Bearer ${token}` }, signal: stopping.signal }),
      ),
    ),
  );
  const open = answers.filter(({ status }) => status === 200);
  const read = open.map(({ body }) => body?.pipeTo(new WritableStream()).catch(() => undefined));
  return {
    open: open.length,
    async close() {
      stopping.abort();
      await Promise.all(read);
    },
  };
}

import { fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCluster } from '../../src/database/embedded/cluster.ts';
import { migrate } from '../../src/database/migrations.ts';
import { type DatabaseLoad, processorMs, watchDatabase } from '../database-load.ts';
import { describeMachine } from '../machine.ts';
import type { Options } from '../options.ts';
import { quantile } from '../statistics.ts';
import { type Order, report } from './messages.ts';
import { isTooMuch, type Measured, signalsText, writeSignals } from './report.ts';
import { openRooms } from './rooms.ts';

/** Signals a second, until the limit is passed. */
const RATES = [250, 1_000, 2_000, 4_000, 6_000, 8_000, 12_000, 16_000, 24_000, 32_000];
const QUICK_RATES = RATES.slice(0, 3);
const ROOMS = 200;
/** Tries of a rate that is too high in the first: the machine may have done other work. The best one counts. */
const TRIES = 3;
/** Seconds for what is under way to arrive. */
const SETTLE_SECONDS = 1;

type Print = (line: string) => void;
type Settings = Pick<Options, 'quick' | 'folder' | 'seconds'>;

/** Two processes, one that sends and one that has the receivers, and a third with neither; then the same through a signal server. */
export async function measureSignals(options: Settings, print: Print): Promise<void> {
  const folder = join(options.folder, 'signals');
  await rm(folder, { recursive: true, force: true });
  const cluster = await startCluster({ folder, settings: { shared_buffers: '256MB' }, report: print });
  const redis = await startRedis();
  try {
    await migrate(cluster);
    const rooms = await openRooms(cluster.url, ROOMS);
    const machine = await describeMachine(cluster.url);
    const common = { databaseUrl: cluster.url, superuserUrl: cluster.superuserUrl, redisPid: redis.pid, ...rooms };
    const [postgres, server] = await ramp(
      [
        { ...common, signalUrl: null },
        { ...common, signalUrl: redis.url },
      ],
      options,
      print,
    );
    const text = signalsText({ machine, postgres, server, seconds: options.seconds, rooms: ROOMS });
    print(`\n${text}`);
    if (!options.quick) print(`written to ${await writeSignals(text)}`);
  } finally {
    await redis.stop();
    await cluster.stop();
  }
}

interface Carrier extends Awaited<ReturnType<typeof openRooms>> {
  databaseUrl: string;
  superuserUrl: string;
  redisPid: number;
  signalUrl: string | null;
}

/** Both carriers by turns at each rate, so that other work on the machine meets both; each until two rates in a row are too high. */
async function ramp([postgres, server]: readonly [Carrier, Carrier], options: Settings, print: Print): Promise<[Measured[], Measured[]]> {
  const database = await watchDatabase(postgres.superuserUrl);
  const measured: [Measured[], Measured[]] = [[], []];
  const running = await Promise.all([postgres, server].map((carrier) => startProcesses(carrier)));
  try {
    for (const rate of options.quick ? QUICK_RATES : RATES) {
      for (const [index, processes] of running.entries()) {
        const [carrier, before] = index === 0 ? ([postgres, measured[0]] as const) : ([server, measured[1]] as const);
        if (before.length > 1 && before.slice(-2).every(isTooMuch)) continue;
        let best = await measureRate(processes, carrier, { rate, database, seconds: options.seconds });
        for (let tries = 1; tries < TRIES && isTooMuch(best); tries += 1) {
          const again = await measureRate(processes, carrier, { rate, database, seconds: options.seconds });
          if (again.p99 < best.p99) best = again;
        }
        before.push(best);
        const name = carrier.signalUrl === null ? 'PostgreSQL' : 'signal server';
        print(`${name}: ${rate}/s, ${(best.share * 100).toFixed(1)} % arrived, p99 ${best.p99.toFixed(1)} ms`);
      }
    }
    return measured;
  } finally {
    await Promise.all(running.flatMap((processes) => processes.map(({ stop }) => stop())));
    await database.close();
  }
}

type BusProcess = Awaited<ReturnType<typeof startBus>>;

async function startProcesses(carrier: Carrier): Promise<BusProcess[]> {
  const processes = await Promise.all([startBus(carrier, false), startBus(carrier, true), startBus({ ...carrier, pairs: [] }, true)]);
  await processes[0]?.order({ type: 'send', rate: 200, seconds: 2 });
  return processes;
}

interface Trial {
  rate: number;
  seconds: number;
  database: DatabaseLoad;
}

async function measureRate(processes: readonly BusProcess[], carrier: Carrier, { rate, seconds, database }: Trial): Promise<Measured> {
  const cpu = async () => ({ database: (await database.cpuMs()) ?? 0, redis: (await processorMs(carrier.redisPid)) ?? 0 });
  await sleep(SETTLE_SECONDS * 1000);
  await Promise.all(processes.map(({ order }) => order({ type: 'report' })));
  const before = await cpu();
  await processes[0]?.order({ type: 'send', rate, seconds });
  await sleep(SETTLE_SECONDS * 1000);
  const [from, to, beside] = await Promise.all(processes.map(({ order }) => order({ type: 'report' })));
  const after = await cpu();
  if (!from || !to || !beside) throw new Error('a process has no report');
  const arrived = to.delays.length;
  return {
    rate,
    share: arrived / (rate * seconds),
    p50: quantile(to.delays, 0.5),
    p99: quantile(to.delays, 0.99),
    senderMs: from.cpuMs / arrived,
    receiverMs: to.cpuMs / arrived,
    bystanderMs: beside.cpuMs / arrived,
    databaseMs: (after.database - before.database) / arrived,
    redisMs: (after.redis - before.redis) / arrived,
  };
}

const MASTER_KEY = randomBytes(32).toString('base64');

async function startBus({ databaseUrl, signalUrl, organizationId, pairs }: Carrier, listens: boolean) {
  const child = fork(join(import.meta.dirname, 'bus-process.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  async function order(message: Order) {
    const answered = once(child, 'message', { signal: AbortSignal.timeout(120_000) });
    child.send(message);
    return report.parse((await answered)[0]);
  }
  await order({ type: 'start', databaseUrl, signalUrl, masterKey: MASTER_KEY, organizationId, pairs, listens });
  return {
    order,
    async stop() {
      await order({ type: 'stop' });
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

/** Debian's redis-server on a free port of loopback, or the program in SIGNAL_SERVER. It writes no file. */
async function startRedis() {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const address = free.address();
  free.close();
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  const args = ['--port', `${address.port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn(process.env.SIGNAL_SERVER || 'redis-server', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  await once(child, 'spawn');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    pid: child.pid ?? 0,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

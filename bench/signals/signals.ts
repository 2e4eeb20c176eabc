import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCluster } from '../../src/database/embedded/cluster.ts';
import { migrate } from '../../src/database/migrations/migrations.ts';
import { type DatabaseLoad, watchDatabase } from '../database-load.ts';
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

/** Two processes, one that sends and one that has the receivers, and a third with neither. */
export async function measureSignals(options: Settings, print: Print): Promise<void> {
  const folder = join(options.folder, 'signals');
  await rm(folder, { recursive: true, force: true });
  const cluster = await startCluster({ folder, settings: { shared_buffers: '256MB' }, report: print });
  try {
    await migrate(cluster);
    const rooms = await openRooms(cluster.url, ROOMS);
    const machine = await describeMachine(cluster.url);
    const measured = await ramp({ databaseUrl: cluster.url, superuserUrl: cluster.superuserUrl, ...rooms }, options, print);
    const text = signalsText({ machine, measured, seconds: options.seconds, rooms: ROOMS });
    print(`\n${text}`);
    if (!options.quick) print(`written to ${await writeSignals(text)}`);
  } finally {
    await cluster.stop();
  }
}

interface Rooms extends Awaited<ReturnType<typeof openRooms>> {
  databaseUrl: string;
  superuserUrl: string;
}

/** Until two rates in a row are too high. */
async function ramp(rooms: Rooms, options: Settings, print: Print): Promise<Measured[]> {
  const database = await watchDatabase(rooms.superuserUrl);
  const measured: Measured[] = [];
  const processes = await startProcesses(rooms);
  try {
    for (const rate of options.quick ? QUICK_RATES : RATES) {
      let best = await measureRate(processes, { rate, database, seconds: options.seconds });
      for (let tries = 1; tries < TRIES && isTooMuch(best); tries += 1) {
        const again = await measureRate(processes, { rate, database, seconds: options.seconds });
        if (again.p99 < best.p99) best = again;
      }
      measured.push(best);
      print(`${rate}/s, ${(best.share * 100).toFixed(1)} % arrived, p99 ${best.p99.toFixed(1)} ms`);
      if (measured.length > 1 && measured.slice(-2).every(isTooMuch)) break;
    }
    return measured;
  } finally {
    await Promise.all(processes.map(({ stop }) => stop()));
    await database.close();
  }
}

type BusProcess = Awaited<ReturnType<typeof startBus>>;

async function startProcesses(rooms: Rooms): Promise<BusProcess[]> {
  const processes = await Promise.all([startBus(rooms, false), startBus(rooms, true), startBus({ ...rooms, pairs: [] }, true)]);
  await processes[0]?.order({ type: 'send', rate: 200, seconds: 2 });
  return processes;
}

interface Trial {
  rate: number;
  seconds: number;
  database: DatabaseLoad;
}

async function measureRate(processes: readonly BusProcess[], { rate, seconds, database }: Trial): Promise<Measured> {
  const cpu = async () => (await database.cpuMs()) ?? 0;
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
    databaseMs: (after - before) / arrived,
  };
}

async function startBus({ databaseUrl, organizationId, pairs }: Rooms, listens: boolean) {
  const child = fork(join(import.meta.dirname, 'bus-process.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  async function order(message: Order) {
    const answered = once(child, 'message', { signal: AbortSignal.timeout(120_000) });
    child.send(message);
    return report.parse((await answered)[0]);
  }
  await order({ type: 'start', databaseUrl, organizationId, pairs, listens });
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

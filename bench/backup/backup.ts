import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { requireRequest } from '../contender.ts';
import { masterKeys } from '../credentials.ts';
import { type BenchDatabase, openBenchDatabase, samplePatients } from '../data/database.ts';
import { type DatabaseLoad, processorMs, watchDatabase } from '../database-load.ts';
import { load } from '../load.ts';
import type { Options } from '../options.ts';
import { median } from '../statistics.ts';
import { type Ours, startOurs } from '../triptych.ts';
import { warm } from '../warm-up.ts';
import { SAMPLE, workloads } from '../workloads/index.ts';
import { TIMED_FROM, type Workload } from '../workloads/workload.ts';

type Measuring = Pick<Options, 'quick' | 'folder' | 'seconds' | 'repetitions' | 'fullSpeed'>;
type Print = (line: string) => void;

/** One measurement of the mix. Processor times are milliseconds for each second of it. */
interface Seen {
  rate: number;
  server: number;
  database: number;
  backup: number;
}

interface Stage {
  ours: Ours;
  mix: Workload;
  database: DatabaseLoad;
  /** The number of the next request. */
  first: number;
  seconds: number;
}

/** The rate of the mix while a backup is made beside it, and without: in pairs, alternately first. */
export async function showBackup(options: Measuring, print: Print): Promise<void> {
  const database = await openBenchDatabase(options, print);
  const ours = await startOurs(database);
  const watched = await watchDatabase(database.url);
  const backups = repeatBackups(database, options.fullSpeed);
  try {
    const [large] = database.plans;
    const [mix] = large ? workloads(large, await samplePatients(database.url, large, SAMPLE), 'mix') : [];
    if (!mix) throw new Error('there is no mix');
    await warm(await ours.contender(), mix, 500);
    const stage: Stage = { ours, mix, database: watched, first: TIMED_FROM, seconds: options.seconds };
    await drive(stage, backups, false);
    const pairs: { alone: Seen; beside: Seen }[] = [];
    for (let pair = 0; pair < options.repetitions; pair += 1) {
      const [first, second] = [await drive(stage, backups, pair % 2 === 1), await drive(stage, backups, pair % 2 === 0)];
      const [alone, beside] = pair % 2 === 0 ? [first, second] : [second, first];
      pairs.push({ alone, beside });
      print(`alone ${writeLine(alone)}\nbeside a backup ${writeLine(beside)}: ${(beside.rate / alone.rate).toFixed(3)} of the rate`);
    }
    const ratio = median(pairs.map(({ alone, beside }) => beside.rate / alone.rate));
    print(`\nmedian of ${pairs.length} pairs: ${ratio.toFixed(3)} of the rate; ${backups.countMade()} backups were made`);
  } finally {
    await backups.stop();
    await watched.close();
    await ours.server.stop();
    await database.stop();
  }
}

const writeLine = ({ rate, server, database, backup }: Seen) =>
  `${rate.toFixed(0)}/s, processor ms a second: server ${server.toFixed(0)}, database ${database.toFixed(0)}, backup ${backup.toFixed(0)}`;

async function drive(stage: Stage, backups: Backups, beside: boolean): Promise<Seen> {
  const contender = await stage.ours.contender();
  if (beside) await backups.resume();
  const used = async () => ({
    server: (await contender.server.usage()).cpuMs,
    database: (await stage.database.cpuMs()) ?? 0,
    backup: await backups.cpuMs(),
  });
  const before = await used();
  const { address, tokens } = contender;
  const { mix, first, seconds } = stage;
  const until = { ms: seconds * 1000 };
  const seen = await load({ address, tokens, send: requireRequest(contender, mix), first, connections: mix.connections, until });
  const after = await used();
  backups.pause();
  stage.first = seen.next;
  const each = (name: keyof typeof before) => ((after[name] - before[name]) / seen.elapsedMs) * 1000;
  return { rate: (seen.requests / seen.elapsedMs) * 1000, server: each('server'), database: each('database'), backup: each('backup') };
}

/** Backups one after the other, in a process that stands still between the measurements. */
interface Backups {
  resume(): Promise<void>;
  pause(): void;
  countMade(): number;
  /** Of all of them so far. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

/** Milliseconds until the process has begun to store tables. */
const BEGUN_AFTER_MS = 2_000;

function repeatBackups({ url, folder }: BenchDatabase, fullSpeed: boolean): Backups {
  const place = join(folder, 'backups');
  const env = { PATH: process.env.PATH, DATABASE_URL: url, DATA_DIR: folder, MASTER_KEYS: masterKeys(folder) };
  const main = join(import.meta.dirname, '..', '..', 'src', 'admin', 'main.ts');
  const argv = [main, 'backup', 'create', '--to', place, '--keep', '1', '--as', 'benchmark', ...(fullSpeed ? ['--full-speed'] : [])];
  let running: ChildProcess | null = null;
  let [made, earlier, last] = [0, 0, 0];
  let stopped = false;
  const begin = () => {
    running = spawn(process.execPath, argv, { env, stdio: 'ignore' });
    running.once('exit', (code) => {
      if (code === 0) made += 1;
      earlier += last;
      last = 0;
      if (!stopped) begin();
    });
  };
  const signal = (name: NodeJS.Signals) => void running?.kill(name);
  return {
    async resume() {
      if (running) signal('SIGCONT');
      else begin();
      await sleep(BEGUN_AFTER_MS);
    },
    pause: () => signal('SIGSTOP'),
    countMade: () => made,
    async cpuMs() {
      last = (await processorMs(running?.pid ?? 0)) ?? last;
      return earlier + last;
    },
    async stop() {
      stopped = true;
      if (running) {
        const exited = once(running, 'exit');
        signal('SIGKILL');
        await exited;
      }
      await rm(place, { recursive: true, force: true });
    },
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, open, rename, rm } from 'node:fs/promises';
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

type Measuring = Pick<Options, 'quick' | 'folder' | 'seconds' | 'repetitions' | 'fullSpeed'> & { beside: NonNullable<Options['beside']> };
type Print = (line: string) => void;

/** One measurement of the mix. Processor times are milliseconds for each second of it. */
interface Seen {
  rate: number;
  server: number;
  database: number;
  command: number;
}

interface Stage {
  ours: Ours;
  mix: Workload;
  database: DatabaseLoad;
  /** The number of the next request. */
  first: number;
  seconds: number;
}

/** The rate of the mix beside a backup or an import, and alone: in pairs, alternately first. */
export async function showBeside(options: Measuring, print: Print): Promise<void> {
  const database = await openBenchDatabase(options, print);
  const argv = options.beside === 'backup' ? backupArguments(database, options.fullSpeed) : await importArguments(database);
  const ours = await startOurs(database);
  const watched = await watchDatabase(database.url);
  const command = repeatCommand(database, argv);
  try {
    const [large] = database.plans;
    const [mix] = large ? workloads(large, await samplePatients(database.url, large, SAMPLE), 'mix') : [];
    if (!mix) throw new Error('there is no mix');
    await warm(await ours.contender(), mix, 500);
    const stage: Stage = { ours, mix, database: watched, first: TIMED_FROM, seconds: options.seconds };
    await drive(stage, command, false);
    const pairs: { alone: Seen; beside: Seen }[] = [];
    for (let pair = 0; pair < options.repetitions; pair += 1) {
      const [first, second] = [await drive(stage, command, pair % 2 === 1), await drive(stage, command, pair % 2 === 0)];
      const [alone, beside] = pair % 2 === 0 ? [first, second] : [second, first];
      pairs.push({ alone, beside });
      print(
        `alone ${writeLine(alone)}\nbeside ${options.beside} ${writeLine(beside)}: ${(beside.rate / alone.rate).toFixed(3)} of the rate`,
      );
    }
    const ratio = median(pairs.map(({ alone, beside }) => beside.rate / alone.rate));
    print(`\nmedian of ${pairs.length} pairs: ${ratio.toFixed(3)} of the rate; ${options.beside} ended ${command.countEnded()} times`);
  } finally {
    await command.stop();
    await rm(placeOfBackups(database), { recursive: true, force: true });
    await watched.close();
    await ours.server.stop();
    await database.stop();
  }
}

const writeLine = ({ rate, server, database, command }: Seen) =>
  `${rate.toFixed(0)}/s, processor ms a second: server ${server.toFixed(0)}, database ${database.toFixed(0)}, command ${command.toFixed(0)}`;

async function drive(stage: Stage, command: Repeated, beside: boolean): Promise<Seen> {
  const contender = await stage.ours.contender();
  if (beside) await command.resume();
  const used = async () => ({
    server: (await contender.server.usage()).cpuMs,
    database: (await stage.database.cpuMs()) ?? 0,
    command: await command.cpuMs(),
  });
  const before = await used();
  const { address, tokens } = contender;
  const { mix, first, seconds } = stage;
  const until = { ms: seconds * 1000 };
  const seen = await load({ address, tokens, send: requireRequest(contender, mix), first, connections: mix.connections, until });
  const after = await used();
  command.pause();
  stage.first = seen.next;
  const each = (name: keyof typeof before) => ((after[name] - before[name]) / seen.elapsedMs) * 1000;
  return { rate: (seen.requests / seen.elapsedMs) * 1000, server: each('server'), database: each('database'), command: each('command') };
}

const placeOfBackups = ({ folder }: BenchDatabase) => join(folder, 'backups');

const backupArguments = (database: BenchDatabase, fullSpeed: boolean): string[] => [
  ...['backup', 'create', '--to', placeOfBackups(database), '--keep', '1', '--as', 'benchmark'],
  ...(fullSpeed ? ['--full-speed'] : []),
];

/** More rows than an import stores meanwhile. */
const IMPORTED = 1_000_000;

/** An import of charts into the last practice. A later measurement goes on in the same file. */
async function importArguments({ folder, plans }: BenchDatabase): Promise<string[]> {
  const file = join(folder, 'import.csv');
  if (
    !(await access(file).then(
      () => true,
      () => false,
    ))
  ) {
    const written = await open(`${file}.part`, 'w');
    const writer = spawn(process.execPath, [join(import.meta.dirname, '..', 'import-file.ts'), 'patients', String(IMPORTED)], {
      stdio: ['ignore', written.fd, 'inherit'],
    });
    await once(writer, 'exit');
    await written.close();
    await rename(`${file}.part`, file);
  }
  return ['import', 'patients', file, '--practice', String(plans.at(-1)?.organizationId), '--as', 'benchmark'];
}

/** A command run one time after the other, in a process that stands still between the measurements. */
interface Repeated {
  resume(): Promise<void>;
  pause(): void;
  countEnded(): number;
  /** Of all of them so far. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

/** Milliseconds until the process has begun its work. */
const BEGUN_AFTER_MS = 2_000;

function repeatCommand({ url, folder }: BenchDatabase, argv: readonly string[]): Repeated {
  const env = { PATH: process.env.PATH, DATABASE_URL: url, DATA_DIR: folder, MASTER_KEYS: masterKeys(folder) };
  const main = join(import.meta.dirname, '..', '..', 'src', 'admin', 'main.ts');
  let running: ChildProcess | null = null;
  let [ended, earlier, last] = [0, 0, 0];
  let stopped = false;
  const begin = () => {
    running = spawn(process.execPath, [main, ...argv], { env, stdio: 'ignore' });
    running.once('exit', (code) => {
      if (code === 0) ended += 1;
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
    countEnded: () => ended,
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
    },
  };
}
